import { itemsOf, oid, readOid, readText, sequence, set, tags, utf8String, type DerValue } from './der.ts';

/** Who a certificate or a request is about. */
export interface DistinguishedName {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** All attributes in order, by object identifier. */
  readonly attributes: readonly NameAttribute[];
}

export interface NameAttribute {
  readonly oid: string;
  readonly value: string;
}

const commonNameOid = '2.5.4.3';
const organizationOid = '2.5.4.10';

/** Reads a Name. As in Go, the last common name counts, and all organisations in order. */
export function readName(value: DerValue | undefined): DistinguishedName {
  const attributes = itemsOf(value).flatMap(rdn =>
    itemsOf(rdn, tags.set).map(attribute => {
      const [type, text] = itemsOf(attribute);
      if (!text) throw new Error('a name attribute has no value');
      return { oid: readOid(type), value: readText(text) };
    }),
  );
  return {
    commonName: attributes.findLast(a => a.oid === commonNameOid)?.value ?? '',
    organizations: attributes.filter(a => a.oid === organizationOid).map(a => a.value),
    attributes,
  };
}

export function writeName({ commonName, organizations = [] }: { commonName: string; organizations?: readonly string[] }): Buffer {
  const attribute = (type: string, value: string) => sequence(oid(type), utf8String(value));
  const rdns: Buffer[] = [];
  if (organizations.length > 0) rdns.push(set(...organizations.map(o => attribute(organizationOid, o)).sort(Buffer.compare)));
  if (commonName !== '') rdns.push(set(attribute(commonNameOid, commonName)));
  return sequence(...rdns);
}
