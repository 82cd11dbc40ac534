import type { JsonObject } from '../../../util/json.ts';
import type { ArtifactSnapshot } from './run-snapshot.ts';

/** What `${artifact…}` stands for. */
export function artifactNames(artifact: ArtifactSnapshot | undefined): JsonObject | undefined {
  if (!artifact) return undefined;
  const { name, image, tag, digest, registryUrl, repositoryName, url, revision } = artifact;
  const whole = image === undefined ? undefined : imageOf(image, tag, digest);
  const build = tag ?? revision ?? digest;
  return defined({
    displayName: build === undefined ? name : `${name}:${build}`,
    description: name,
    buildNo: build,
    fileName: name,
    url: url ?? whole,
    revision: revision ?? digest ?? tag,
    metadata: defined({ image: whole, tag, getSHA: digest }),
    label: {},
    source: defined({ registryUrl, repositoryName }),
  });
}

/** A digest alone would hide from people which version it is. */
function imageOf(image: string, tag: string | undefined, digest: string | undefined): string {
  return `${image}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

const defined = (value: Record<string, JsonObject | string | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as JsonObject;
