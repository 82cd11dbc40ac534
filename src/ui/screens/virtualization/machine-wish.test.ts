import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { faultsOf, objectsFor, userDataOf, type MachineWish } from './machine-wish.ts';

const key = { id: 'shed/ann', publicKey: 'ssh-ed25519 AAAA ann\n' };
const wish: MachineWish = {
  name: 'web',
  namespace: 'shed',
  description: '',
  cores: 2,
  memoryGi: 4,
  disk: {
    from: 'image',
    image: { id: 'harvester-public/ubuntu', storageClass: 'longhorn-ubuntu', virtualBytes: 3 * 1024 ** 3 },
    sizeGi: 10,
  },
  network: '',
  keys: [],
  userData: '',
  isStarted: true,
};
interface Made {
  metadata: { annotations: Record<string, string> };
  spec: { runStrategy: string; template: { metadata: { annotations?: Record<string, string> }; spec: Record<string, unknown> } };
}
const made = (changes: Partial<MachineWish>) =>
  objectsFor({ ...wish, ...changes }, 'x7k2p') as unknown as { machine: Made; secret?: unknown };

test('a disk from an image is a claim that Harvester makes, of the class of the image', () => {
  const { machine, secret } = made({});
  const [claim] = JSON.parse(machine.metadata.annotations['harvesterhci.io/volumeClaimTemplates']!) as [Record<string, object>];
  assert.deepEqual(claim, {
    metadata: { name: 'web-disk-0-x7k2p', annotations: { 'harvesterhci.io/imageId': 'harvester-public/ubuntu' } },
    spec: {
      accessModes: ['ReadWriteMany'],
      volumeMode: 'Block',
      resources: { requests: { storage: '10Gi' } },
      storageClassName: 'longhorn-ubuntu',
    },
  });
  assert.deepEqual(machine.spec.template.spec['volumes'], [{ name: 'disk-0', persistentVolumeClaim: { claimName: 'web-disk-0-x7k2p' } }]);
  assert.equal(machine.spec.runStrategy, 'RerunOnFailure');
  assert.equal(secret, undefined);
});

test('a volume that is there is taken as it is', () => {
  const { machine } = made({ disk: { from: 'volume', claim: 'old' }, isStarted: false });
  assert.deepEqual(machine.metadata.annotations, {});
  assert.deepEqual(machine.spec.template.spec['volumes'], [{ name: 'disk-0', persistentVolumeClaim: { claimName: 'old' } }]);
  assert.equal(machine.spec.runStrategy, 'Halted');
});

test('a network of its own is a bridge, the usual one is not', () => {
  const { machine } = made({ network: 'shed/vlan1' });
  assert.deepEqual(machine.spec.template.spec['networks'], [{ name: 'default', multus: { networkName: 'shed/vlan1' } }]);
  assert.deepEqual(made({}).machine.spec.template.spec['networks'], [{ name: 'default', pod: {} }]);
});

test('user data is in a Secret, and the machine names it', () => {
  const { machine, secret } = made({ userData: '#cloud-config\npassword: hidden\n', keys: [key] });
  assert.equal(JSON.stringify(machine).includes('hidden'), false);
  assert.equal(JSON.stringify(secret).includes('hidden'), true);
  assert.deepEqual((machine.spec.template.spec['volumes'] as unknown[])[1], {
    name: 'cloudinitdisk',
    cloudInitNoCloud: { secretRef: { name: 'web-x7k2p' } },
  });
  assert.deepEqual(machine.spec.template.metadata.annotations, { 'harvesterhci.io/sshNames': '["shed/ann"]' });
});

test('keys are added to user data, which otherwise stays as it is', () => {
  assert.equal(userDataOf('', []), '');
  assert.equal(userDataOf('#!/bin/sh\necho hello\n', []), '#!/bin/sh\necho hello\n');
  assert.equal(userDataOf('', [key]), '#cloud-config\nssh_authorized_keys:\n  - ssh-ed25519 AAAA ann\n');
  const joined = userDataOf('#cloud-config\n# mine\npassword: p\nssh_authorized_keys: [ssh-rsa B]\n', [key, key]);
  assert.match(joined, /^#cloud-config\n# mine\n/);
  assert.deepEqual(parse(joined), { password: 'p', ssh_authorized_keys: ['ssh-rsa B', 'ssh-ed25519 AAAA ann'] });
});

test('what cannot be is said before anybody is asked', () => {
  assert.deepEqual(faultsOf(wish), {});
  const wrong: [Partial<MachineWish>, string][] = [
    [{ name: 'Web' }, 'name'],
    [{ name: 'w'.repeat(64) }, 'name'],
    [{ namespace: '' }, 'namespace'],
    [{ cores: 0 }, 'cores'],
    [{ memoryGi: Number.NaN }, 'memory'],
    [{ disk: { from: 'volume', claim: '' } }, 'disk'],
    [{ disk: { from: 'image', image: undefined, sizeGi: 10 } }, 'disk'],
    [{ disk: { ...wish.disk, sizeGi: 2 } as MachineWish['disk'] }, 'disk'],
    [{ userData: '#cloud-config\na: [' }, 'userData'],
    [{ userData: '#cloud-config\n- a\n' }, 'userData'],
    [{ userData: '#!/bin/sh\n', keys: [key] }, 'userData'],
  ];
  for (const [changes, field] of wrong) assert.deepEqual(Object.keys(faultsOf({ ...wish, ...changes })), [field], JSON.stringify(changes));
});
