/** An address as it may be shown: without user, password, query and fragment, all of which can be secret. */
export function withoutCredentials(address: string): string {
  const [place] = address.split(/[?#\s]/, 1);
  return place!.replace(/^([a-z0-9+.-]+:\/\/)?[^/]*@/i, '$1');
}
