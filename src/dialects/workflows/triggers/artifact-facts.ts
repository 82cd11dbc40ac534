import type { RunSnapshot } from '../inputs/run-snapshot.ts';
import type { ServiceDefinition } from '../kinds/service-definition.ts';
import type { ArtifactChoice, WorkflowRun } from '../kinds/workflow-run.ts';
import type { ArtifactFacts } from './start-run.ts';

/** What is known of artifacts in a namespace. */
export function artifactFacts(findService: (name: string) => ServiceDefinition | undefined, runs: readonly WorkflowRun[]): ArtifactFacts {
  return {
    lastCollected(service, artifact) {
      const found = findService(service)?.status?.artifactVersions?.find(one => artifact === undefined || one.artifact === artifact);
      return found && { artifact: found.artifact, tag: found.tag, ...(found.digest !== undefined && { digest: found.digest }) };
    },
    lastDeployed(service, artifact) {
      for (const run of newestFirst(runs.filter(isGood))) {
        const deployed = (run.status?.snapshot as unknown as RunSnapshot | undefined)?.services[service]?.artifact;
        if (deployed && (artifact === undefined || deployed.name === artifact)) return choiceOf(deployed);
      }
      return undefined;
    },
  };
}

const choiceOf = ({ name, tag, digest }: { name: string; tag?: string; digest?: string }): ArtifactChoice => ({
  artifact: name,
  ...(tag !== undefined && { tag }),
  ...(digest !== undefined && { digest }),
});

export const isGood = ({ spec, status }: WorkflowRun): boolean => status?.phase === 'Succeeded' && spec.mode !== 'Preview';

export const newestFirst = (runs: readonly WorkflowRun[]): WorkflowRun[] =>
  runs.toSorted((a, b) => Date.parse(b.status?.finishedAt ?? '') - Date.parse(a.status?.finishedAt ?? ''));
