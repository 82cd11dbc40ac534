import { qualifiedResource, type KubeObject } from '../../api/object.ts';
import type { JsonObject } from '../../util/json.ts';
import {
  age,
  ageColumn,
  at,
  column,
  count,
  labelsCell,
  list,
  nameColumn,
  nameOf,
  selectorCell,
  someOf,
  text,
  textOr,
  texts,
  wide,
  type Printer,
} from './cell.ts';
import { urlHost } from '../../util/url-host.ts';

function balancerAddresses(obj: KubeObject): string {
  const addresses = list(obj, 'status', 'loadBalancer', 'ingress').map(point => text(point, 'ip') || text(point, 'hostname'));
  return [...new Set(addresses.filter(address => address !== ''))].sort().join(',');
}

function externalIp(service: KubeObject): string {
  const external = texts(service, 'spec', 'externalIPs');
  switch (text(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer': {
      const balancer = balancerAddresses(service);
      return [...(balancer === '' ? [] : [balancer]), ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return text(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

function portCell(port: JsonObject): string {
  const nodePort = count(port, 'nodePort');
  return `${count(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${text(port, 'protocol')}`;
}

function endpointsCell(endpoints: KubeObject): string {
  const subsets = list(endpoints, 'subsets');
  if (subsets.length === 0) return '<none>';
  const withPort = (ip: string, port: number) => `${urlHost(ip)}:${port}`;
  const addresses = subsets.flatMap(subset => {
    const ips = list(subset, 'addresses').map(address => text(address, 'ip'));
    const ports = list(subset, 'ports');
    return ports.length === 0 ? ips : ports.flatMap(port => ips.map(ip => withPort(ip, count(port, 'port'))));
  });
  return someOf(addresses, 3);
}

function sliceCell(items: string[]): string {
  return someOf(items, 3) || '<unset>';
}

function slicePort(port: JsonObject): string {
  const number = at(port, 'port');
  if (typeof number === 'number') return String(number);
  const name = at(port, 'name');
  return typeof name === 'string' ? name : '*';
}

// Hosts are counted by rules, so that rules without a host count among those that are not shown.
function hostsCell(ingress: KubeObject): string {
  const rules = list(ingress, 'spec', 'rules');
  const hosts: string[] = [];
  let hasMore = false;
  for (const rule of rules) {
    if (hosts.length === 3) hasMore = true;
    const host = text(rule, 'host');
    if (!hasMore && host !== '') hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return hasMore ? `${hosts.join(',')} + ${rules.length - 3} more...` : hosts.join(',');
}

function parametersCell(ingressClass: KubeObject): string {
  const parameters = at(ingressClass, 'spec', 'parameters');
  if (parameters === undefined || parameters === null) return '<none>';
  const group = at(parameters, 'apiGroup');
  const kind = text(parameters, 'kind');
  return `${typeof group === 'string' ? `${kind}.${group}` : kind}/${text(parameters, 'name')}`;
}

function parentCell(address: KubeObject): string {
  const parent = at(address, 'spec', 'parentRef');
  if (parent === undefined || parent === null) return '<none>';
  const resource = qualifiedResource({ group: text(parent, 'group'), resource: text(parent, 'resource') }).toLowerCase();
  const namespace = text(parent, 'namespace');
  return [resource, ...(namespace === '' ? [] : [namespace]), text(parent, 'name')].join('/');
}

export const networkPrinters: Readonly<Record<string, Printer>> = {
  Service: {
    columns: [nameColumn, column('Type'), column('Cluster-IP'), column('External-IP'), column('Port(s)'), ageColumn, wide('Selector')],
    cells: (obj, now) => [
      nameOf(obj),
      text(obj, 'spec', 'type'),
      texts(obj, 'spec', 'clusterIPs')[0] ?? '<none>',
      externalIp(obj),
      list(obj, 'spec', 'ports').map(portCell).join(',') || '<none>',
      age(obj, now),
      labelsCell(at(obj, 'spec', 'selector')),
    ],
  },
  Endpoints: {
    columns: [nameColumn, column('Endpoints'), ageColumn],
    cells: (obj, now) => [nameOf(obj), endpointsCell(obj), age(obj, now)],
  },
  'discovery.k8s.io/EndpointSlice': {
    columns: [nameColumn, column('AddressType'), column('Ports'), column('Endpoints'), ageColumn],
    cells: (obj, now) => [
      nameOf(obj),
      text(obj, 'addressType'),
      sliceCell(list(obj, 'ports').map(slicePort)),
      sliceCell(list(obj, 'endpoints').flatMap(endpoint => texts(endpoint, 'addresses'))),
      age(obj, now),
    ],
  },
  'networking.k8s.io/Ingress': {
    columns: [
      nameColumn,
      column('Class', 'The name of the IngressClass resource that should be used for additional configuration'),
      column('Hosts', 'Hosts that incoming requests are matched against before the ingress rule'),
      column('Address', 'Address is a list containing ingress points for the load-balancer'),
      column('Ports', 'Ports of TLS configurations that open'),
      ageColumn,
    ],
    cells: (obj, now) => [
      nameOf(obj),
      textOr('<none>', obj, 'spec', 'ingressClassName'),
      hostsCell(obj),
      balancerAddresses(obj),
      list(obj, 'spec', 'tls').length > 0 ? '80, 443' : '80',
      age(obj, now),
    ],
  },
  'networking.k8s.io/IngressClass': {
    columns: [
      nameColumn,
      column('Controller', 'Controller that is responsible for handling this class'),
      column('Parameters', 'A reference to a resource with additional parameters'),
      ageColumn,
    ],
    cells: (obj, now) => {
      const isDefault = obj.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
      return [isDefault ? `${nameOf(obj)} (default)` : nameOf(obj), text(obj, 'spec', 'controller'), parametersCell(obj), age(obj, now)];
    },
  },
  'networking.k8s.io/NetworkPolicy': {
    columns: [nameColumn, column('Pod-Selector'), ageColumn],
    cells: (obj, now) => [nameOf(obj), selectorCell(at(obj, 'spec', 'podSelector')), age(obj, now)],
  },
  'networking.k8s.io/ServiceCIDR': {
    columns: [nameColumn, column('CIDRs'), ageColumn],
    cells: (obj, now) => [nameOf(obj), texts(obj, 'spec', 'cidrs').join(','), age(obj, now)],
  },
  'networking.k8s.io/IPAddress': {
    columns: [nameColumn, column('ParentRef')],
    cells: (obj, now) => [nameOf(obj), parentCell(obj), age(obj, now)],
  },
};
