export { selectorMatches, type LabelSelector } from '../../api/label-selector.ts';
