import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Whether an address may be connected to. */
export type Judgement =
  /** `isAllowedByOperator`: somebody named it on purpose, so that also plain HTTP is fine. */
  | { readonly isAllowed: true; readonly isAllowedByOperator: boolean }
  /** `what` completes "10.0.0.1 is …". */
  | { readonly isAllowed: false; readonly what: string };

export interface AddressRules {
  judge(address: string): Judgement;
}

/** Where nothing that the public serves can be, and why. The order is that of the answers. */
const forbidden: readonly (readonly [what: string, subnets: readonly string[]])[] = [
  ['a loopback address', ['127.0.0.0/8', '::1/128']],
  ['a link-local address', ['169.254.0.0/16', 'fe80::/10']],
  ['a private address', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10']],
  [
    'a reserved address',
    [
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '224.0.0.0/4',
      '240.0.0.0/4',
      // Among them those that wrap IPv4 addresses in ways of their own: ::/96, 6to4, Teredo, local NAT64.
      '::/96',
      '64:ff9b:1::/48',
      '100::/64',
      '2001::/23',
      '2001:db8::/32',
      '2002::/16',
      '5f00::/16',
      'ff00::/8',
    ],
  ],
];

/** Throws when a text is no subnet. */
export function subnetList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.trim().split('/', 2);
    const family = isIP(address);
    const longest = family === 6 ? 128 : 32;
    const prefix = bits === undefined ? longest : Number(bits);
    if (family === 0 || (bits !== undefined && !/^[0-9]{1,3}$/.test(bits)) || prefix > longest)
      throw new Error(`${JSON.stringify(subnet)} is no subnet such as 10.0.0.0/8`);
    list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Public addresses are allowed, and those that the operator names. The machine's own are as forbidden as private ones. */
export function addressRules(allowedSubnets: readonly string[]): AddressRules {
  const allowed = subnetList(allowedSubnets);
  const lists = forbidden.map(([what, subnets]) => [what, subnetList(subnets)] as const);
  return {
    judge(text) {
      const address = plainAddress(text);
      if (isIP(address) === 0) return { isAllowed: false, what: 'no address' };
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (allowed.check(address, family)) return { isAllowed: true, isAllowedByOperator: true };
      const [what] = lists.find(([, list]) => list.check(address, family)) ?? [];
      if (what !== undefined) return { isAllowed: false, what };
      if (isOwnAddress(address)) return { isAllowed: false, what: "the hub's own address" };
      return { isAllowed: true, isAllowedByOperator: false };
    },
  };
}

function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some(all => all?.some(one => plainAddress(one.address) === address));
}

/** One way of writing each address; IPv4 in IPv6 (mapped, or translated by NAT64) is IPv4. */
export function plainAddress(text: string): string {
  const bare = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!isIPv6(bare)) return bare;
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const wrapped = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? /^64:ff9b::()([0-9a-f]{1,4})$/.exec(short);
  if (!wrapped) return short;
  const [high, low] = [Number.parseInt(wrapped[1] || '0', 16), Number.parseInt(wrapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
