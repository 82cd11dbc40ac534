import type { PointerEvent } from 'react';

/** Says more to whoever points at it. Tables have many of them, and a title that changes makes the browser look at the element's style again. */
export const titled =
  (text: string) =>
  ({ currentTarget }: PointerEvent<HTMLElement>) => {
    currentTarget.title = text;
  };
