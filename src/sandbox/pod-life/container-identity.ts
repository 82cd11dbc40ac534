import { createHash } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const imageIds = new Map<string, string>();
const maxImages = 1000;

/** The digest that an image would have: the same for the same name, as long as nobody pushes. */
export function imageIdOf(image: string): string {
  if (image.includes('@sha256:')) return withRegistry(image);
  const known = imageIds.get(image);
  if (known !== undefined) return known;
  const lastColon = image.lastIndexOf(':');
  const name = lastColon > image.lastIndexOf('/') ? image.slice(0, lastColon) : image;
  const made = `${withRegistry(name)}@sha256:${digest(withTag(image))}`;
  if (imageIds.size >= maxImages) imageIds.clear();
  imageIds.set(image, made);
  return made;
}

/** One run of a container of a pod. */
export const containerIdOf = (podUid: string, container: string, restart: number): string =>
  `containerd://${digest(`${podUid}/${container}/${restart}`)}`;

/** `nginx` as a runtime calls it: `docker.io/library/nginx`. */
export function withRegistry(image: string): string {
  const slash = image.indexOf('/');
  if (slash < 0) return `docker.io/library/${image}`;
  const host = image.slice(0, slash);
  return /[.:]/.test(host) || host === 'localhost' ? image : `docker.io/${image}`;
}

export const withTag = (image: string): string =>
  image.includes('@') || image.lastIndexOf(':') > image.lastIndexOf('/') ? image : `${image}:latest`;
