import type { ObjectMeta } from '../../api/object.ts';

const behaviorAnnotation = 'sandbox.drover.io/behavior';

/** A node whose kubelet is asked, by annotation, to fall silent: it turns NotReady, and nothing on it changes any more. */
export const isNodeDown = ({ metadata }: { metadata: ObjectMeta }): boolean => metadata.annotations?.[behaviorAnnotation] === 'down';
