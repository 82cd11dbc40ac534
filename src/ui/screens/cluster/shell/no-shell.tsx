import { Empty } from '../../../parts/notes.tsx';

export const NoShell = ({ cluster }: { cluster: string }) => (
  <Empty title="No shell here" command={`drover kubectl ${cluster} -- get namespaces`}>
    A shell needs a container, and none run on {cluster}. Your own terminal does without.
  </Empty>
);
