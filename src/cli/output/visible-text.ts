/** What a terminal would obey or hide: control characters, and those that turn the direction of writing. Tabs and ends of lines stay. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of others as it may be shown: `\u001b` instead of the character that begins a command to the terminal. */
export function visibleText(text: string): string {
  return text.replace(unseen, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same on one line. */
export const visibleLine = (text: string): string => visibleText(text).replace(/\s*[\n\t]\s*/g, ' ');
