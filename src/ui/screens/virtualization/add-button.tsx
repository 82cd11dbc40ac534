import { Suspense, useState, type ComponentType } from 'react';
import { useScope } from '../../app/scope.tsx';
import type { Kind } from '../../data/kinds.ts';
import { useNamespacesFor } from '../../data/list-places.ts';
import { Icon } from '../../parts/icon.tsx';

interface FormProps {
  readonly cluster: string;
  readonly namespaces: readonly string[];
  projectOf(namespace: string): string;
  onClose(): void;
}

interface AddButtonProps extends Omit<FormProps, 'namespaces' | 'onClose'> {
  readonly kind: Kind;
  readonly title: string;
  readonly Form: ComponentType<FormProps>;
}

/** Opens a form that makes something on a cluster, for those who may make it in any namespace. The one that is looked at comes first. */
export function AddButton({ cluster, kind, title, projectOf, Form }: AddButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { namespace } = useScope();
  const open = useNamespacesFor('create', kind, cluster);
  if (!open || open.length === 0) return null;
  const rank = (name: string) => (name === namespace ? 0 : isOfTheSystem(name) ? 2 : 1);
  const namespaces = open.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return (
    <>
      <button type="button" className="button main-deed" onClick={() => setOpen(true)}>
        <Icon name="add" />
        {title}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Form cluster={cluster} namespaces={namespaces} projectOf={projectOf} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

const isOfTheSystem = (name: string): boolean => /^kube-|-system$|^cattle-/.test(name);
