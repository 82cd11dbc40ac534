import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageTag } from './image-name.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const tags: [string, string][] = [
  ['nginx', 'latest'],
  ['nginx:1.2', '1.2'],
  ['registry.example.com:5000/a/b', 'latest'],
  [`nginx@${digest}`, ''],
  [`nginx:1@${digest}`, '1'],
  ['Not An Image', ''],
];
for (const [image, tag] of tags) test(`the tag of "${image}" is "${tag}"`, () => assert.equal(imageTag(image), tag));
