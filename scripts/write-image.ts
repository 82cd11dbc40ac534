/** `node scripts/write-image.ts [--name NAME] [--output FILE] [--platforms all]`: the image of hub and agent as an archive, without a container engine. For all platforms (amd64, arm64) Node and Debian's libraries of the other are fetched. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../test/helpers/rig.ts';
import { buildUi } from './build-ui.ts';
import { droverImage } from './image/drover-image.ts';
import { writeImage } from './image/oci-archive.ts';

const { version } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as { version: string };
const { values } = parseArgs({
  options: {
    name: { type: 'string', default: `drover.io/drover:${version}` },
    output: { type: 'string', default: 'drover-image.tar' },
    platforms: { type: 'string', default: '' },
  },
});
await buildUi();
const { archive, digest } = writeImage(droverImage(values.name, { forAllProcessors: values.platforms === 'all' }));
writeFileSync(values.output, archive);
console.log(`${values.name} ${digest}: ${(archive.length / 2 ** 20).toFixed(0)} MiB in ${values.output}`);
console.log(`import it on a node with: ctr -n k8s.io images import ${values.output}`);
