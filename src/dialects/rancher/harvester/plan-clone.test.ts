import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../api/object.ts';
import { planClone } from './plan-clone.ts';

const templates = [{ metadata: { name: 'web-root' }, spec: { volumeMode: 'Block' } }, { metadata: { name: 'foreign' } }];
const vm: KubeObject = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u1',
    resourceVersion: '7',
    labels: { 'harvesterhci.io/vmName': 'web', tier: 'front' },
    annotations: {
      'harvesterhci.io/volumeClaimTemplates': JSON.stringify(templates),
      'harvesterhci.io/mac-address': '{}',
      'harvesterhci.io/removedPersistentVolumeClaims': 'old',
      colour: 'blue',
    },
  },
  spec: {
    runStrategy: 'Always',
    dataVolumeTemplates: [{ metadata: { name: 'web-data' } }],
    template: {
      metadata: { labels: { 'harvesterhci.io/vmName': 'web' } },
      spec: {
        hostname: 'web',
        domain: {
          firmware: { uuid: 'x', serial: 'y', bootloader: {} },
          devices: { interfaces: [{ name: 'default', macAddress: '52:54:00:00:00:01', bridge: {} }] },
        },
        volumes: [
          { name: 'root', persistentVolumeClaim: { claimName: 'web-root', hotpluggable: true } },
          { name: 'data', dataVolume: { name: 'web-data' } },
          { name: 'init', cloudInitNoCloud: { secretRef: { name: 'init' } } },
        ],
      },
    },
  },
};
const claim = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop', uid: name },
  spec: {
    accessModes: ['ReadWriteMany'],
    volumeMode: 'Block',
    storageClassName: 'fast',
    volumeName: 'pv-1',
    resources: { requests: { storage: '1Gi' } },
  },
});

test('a clone has copies of the disks, and no address, number or name of the other', () => {
  const { machine, claims } = planClone(vm, [claim('web-root'), claim('web-data')], { name: 'two', runStrategy: undefined });
  assert.deepEqual(machine.metadata, {
    name: 'two',
    namespace: 'shop',
    labels: { 'harvesterhci.io/vmName': 'two', tier: 'front' },
    annotations: {
      colour: 'blue',
      'harvesterhci.io/volumeClaimTemplates': JSON.stringify([{ ...templates[0], metadata: { name: 'two-root' } }, templates[1]]),
    },
  });
  assert.deepEqual(machine['spec'], {
    runStrategy: 'Always',
    template: {
      metadata: { labels: { 'harvesterhci.io/vmName': 'two' } },
      spec: {
        hostname: 'two',
        domain: { firmware: { bootloader: {} }, devices: { interfaces: [{ name: 'default', bridge: {} }] } },
        volumes: [
          { name: 'root', persistentVolumeClaim: { claimName: 'two-root', hotpluggable: true } },
          { name: 'data', persistentVolumeClaim: { claimName: 'two-data' } },
          { name: 'init', cloudInitNoCloud: { secretRef: { name: 'init' } } },
        ],
      },
    },
  });
  assert.deepEqual(
    claims.map(one => [one.metadata.name, (one['spec'] as { dataSource: object; volumeName?: string }).dataSource]),
    [
      ['two-root', { kind: 'PersistentVolumeClaim', name: 'web-root' }],
      ['two-data', { kind: 'PersistentVolumeClaim', name: 'web-data' }],
    ],
  );
  assert.equal((claims[0]!['spec'] as { volumeName?: string }).volumeName, undefined);
});

test('the other machine is left as it was, and a clone runs as was asked', () => {
  const before = JSON.stringify(vm);
  const { machine } = planClone(vm, [], { name: 'two', runStrategy: 'Halted' });
  assert.equal((machine['spec'] as { runStrategy: string }).runStrategy, 'Halted');
  assert.equal(JSON.stringify(vm), before);
});
