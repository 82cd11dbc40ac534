/** A part of an address without its escapes; as it is when one of them is broken. */
export function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
