import { escapeHtmlInJson } from '../../util/go-print.ts';
import { printJson, sortKeys, type Json } from '../../util/json.ts';

/** JSON as kubectl prints it: keys sorted, four spaces, `<`, `>` and `&` escaped. */
export const jsonText = (value: Json): string => `${escapeHtmlInJson(printJson(sortKeys(value), 4))}\n`;

export const jsonLine = (value: Json): string => `${escapeHtmlInJson(printJson(sortKeys(value)))}\n`;
