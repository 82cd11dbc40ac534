import { KustomizeError } from './kustomize-error.ts';
import { changeFields, entrySetter, type FieldSpec } from './field-spec.ts';
import type { ImageArgs } from './kustomization.ts';
import { expectKind, fieldOf } from './node-fields.ts';
import { compilePattern } from './pattern.ts';
import type { Resource } from './resource.ts';
import { isMissingOrNull, type YamlNode } from './yaml-node.ts';

/** Gives containers other images: those of every `containers` and `initContainers` list, and of the fields that are named. */
export function setImages(resources: readonly Resource[], image: ImageArgs, specs: readonly FieldSpec[]): void {
  const isMeant = imageMatcher(image.name ?? '');
  const set = (node: YamlNode) => {
    expectKind(node, 'scalar');
    if (!isMissingOrNull(node) && isMeant(node.value)) entrySetter('', newImage(node.value, image), '')(node);
  };
  for (const { node, kind } of resources) {
    if (!node || kind === 'CustomResourceDefinition') continue;
    walkContainers(node, set);
  }
  for (const { node, kind } of resources) {
    if (!node || kind === 'CustomResourceDefinition') continue;
    changeFields(node, specs, { set });
  }
}

function walkContainers(node: YamlNode, set: (image: YamlNode) => void): void {
  if (node.kind === 'sequence') for (const item of node.content) walkContainers(item, set);
  if (node.kind !== 'mapping') return;
  for (let i = 0; i + 1 < node.content.length; i += 2) {
    const value = node.content[i + 1]!;
    walkContainers(value, set);
    if (value.kind !== 'sequence' || !['containers', 'initContainers'].includes(node.content[i]!.value)) continue;
    for (const container of value.content) {
      if (isMissingOrNull(container)) continue;
      expectKind(container, 'mapping');
      const image = fieldOf(container, 'image');
      if (image) set(image);
    }
  }
}

/** The name is part of a pattern; one that is none fits nothing. */
function imageMatcher(name: string): (image: string) => boolean {
  try {
    return compilePattern(`^${name}(:[a-zA-Z0-9_.{}-]*)?(@[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*)?$`);
  } catch (error) {
    if (error instanceof KustomizeError) return () => false;
    throw error;
  }
}

function newImage(image: string, { newName = '', newTag = '', digest: newDigest = '', tagSuffix = '' }: ImageArgs): string {
  let { name, tag, digest } = splitImage(image);
  if (newName !== '') name = newName;
  if (newTag !== '' || newDigest !== '') [tag, digest] = [newTag, newDigest];
  else if (tagSuffix !== '') [tag, digest] = [tag + tagSuffix, ''];
  return name + (tag === '' ? '' : `:${tag}`) + (digest === '' ? '' : `@${digest}`);
}

function splitImage(image: string): { name: string; tag: string; digest: string } {
  const slash = Math.max(image.indexOf('/'), 0);
  const search = image.slice(slash);
  const [at, colon] = [search.indexOf('@'), search.indexOf(':')];
  if (at < 0 && colon < 0) return { name: image, tag: '', digest: '' };
  if (at >= 0 && (colon < 0 || at < colon)) return { name: image.slice(0, slash + at), tag: '', digest: search.slice(at + 1) };
  return {
    name: image.slice(0, slash + colon),
    tag: search.slice(colon + 1, at < 0 ? undefined : at),
    digest: at < 0 ? '' : search.slice(at + 1),
  };
}
