import type { ServiceDefinition } from '../kinds/service-definition.ts';
import { InputError, inputReasons } from './input-error.ts';
import type { SnapshotRequest } from './run-inputs.ts';
import type { ArtifactSnapshot } from './run-snapshot.ts';

type Choice = NonNullable<SnapshotRequest['artifacts']>[number];
type Artifact = NonNullable<ServiceDefinition['spec']['artifacts']>[number];

/** The version of its artifact that a service is deployed with: what the run says, else the newest that was seen. Throws InputError. */
export function chooseArtifact(
  { metadata, spec, status }: ServiceDefinition,
  choices: readonly Choice[],
  isOfRun: boolean,
): ArtifactSnapshot | undefined {
  const artifacts = spec.artifacts ?? [];
  const choice = choices.find(({ service }) => (service === undefined ? isOfRun : service === metadata.name));
  if (artifacts.length === 0) {
    if (choice) throw wrong(`Service "${metadata.name}" has no artifacts`);
    return undefined;
  }
  const artifact = choice?.artifact === undefined ? artifacts[0]! : artifacts.find(({ name }) => name === choice.artifact);
  if (!artifact) throw wrong(`Service "${metadata.name}" has no artifact "${choice?.artifact}"`);
  const seen = (status?.artifactVersions ?? []).filter(one => one.artifact === artifact.name);
  const tag = choice?.tag ?? choice?.buildNumber ?? (choice?.digest === undefined ? seen[0]?.tag : undefined);
  const digest = choice?.digest ?? seen.find(one => one.tag === tag)?.digest;
  return describe(artifact, tag, digest);
}

function describe(artifact: Artifact, tag: string | undefined, digest: string | undefined): ArtifactSnapshot {
  const { name, type, image, chart } = artifact;
  const version = { ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
  if (image === undefined) return { name, ...version, ...(type === 'Git' && digest !== undefined && { revision: digest }) };
  if (type === 'Git') return { name, url: image, ...version, ...(digest !== undefined && { revision: digest }) };
  const [, registryUrl = '', repositoryName = image] = /^([^/]*[.:][^/]*|localhost)\/(.+)$/.exec(image) ?? [];
  return {
    name,
    ...(type === 'OCIImage' && { image }),
    ...(type !== 'OCIImage' && { url: image }),
    ...version,
    ...(registryUrl !== '' && { registryUrl }),
    repositoryName: chart ?? repositoryName,
  };
}

const wrong = (message: string) => new InputError(inputReasons.notFound, message);
