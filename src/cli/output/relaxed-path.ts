import { compileJsonPath, type JsonPath } from '../../util/jsonpath.ts';

const relaxed = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/;

/** `metadata.name`, `.metadata.name`, `{metadata.name}` and `{.metadata.name}` all mean the last. */
export function relaxedTemplate(path: string): string {
  const match = relaxed.exec(path);
  if (!match) throw new Error(`unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'`);
  return `{.${match[1] ?? match[2]}}`;
}

/** A path in the forms that people write; what is missing in an object is no error. */
export const relaxedPath = (path: string): JsonPath => compileJsonPath(relaxedTemplate(path), { allowMissing: true });
