import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { printInertPage } from '../src/api/inert-page.ts';
import { kindPageName, printKindPage } from '../src/api/kind-page.ts';
import { hubKinds } from '../src/hub/hub-kinds.ts';

const dir = path.join(import.meta.dirname, '../docs/kinds');
mkdirSync(dir, { recursive: true });
for (const kind of hubKinds) writeFileSync(path.join(dir, kindPageName(kind)), printKindPage(kind));
writeFileSync(path.join(dir, '../guide/not-acted-upon.md'), printInertPage(hubKinds));
