/** Where this page shows a virtual machine. */
export const machinePlace = (
  cluster: string,
  { namespace = '', name = '' }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): string => `/virtualization/${encodeURIComponent(cluster)}/machines/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
