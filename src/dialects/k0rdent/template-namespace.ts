import type { KubeObject } from '../../api/object.ts';
import { systemNamespace } from './kinds/group.ts';

/** Where an owner's templates are looked up: in its own namespace, or in the system's when it has none. */
export const templateNamespace = ({ metadata }: KubeObject): string => metadata.namespace ?? systemNamespace;
