import type { Screen } from './rfb-client.ts';

/** Draws on a canvas as large as the screen of the machine; styles make it fit. */
export function canvasScreen(canvas: HTMLCanvasElement, copied: Screen['copied']): Screen {
  const context = canvas.getContext('2d', { alpha: false })!;
  return {
    copied,
    resize(width, height) {
      canvas.width = width;
      canvas.height = height;
    },
    draw({ x, y, width, height }, pixels) {
      if (width > 0 && height > 0) context.putImageData(new ImageData(pixels, width, height), x, y);
    },
    copy(from, { x, y, width, height }) {
      if (width > 0 && height > 0) context.drawImage(canvas, from.x, from.y, width, height, x, y, width, height);
    },
    pointer(image, { x, y, width, height }) {
      canvas.style.cursor = width > 0 && height > 0 ? `url(${pictureOf(image, width, height)}) ${x} ${y}, default` : 'none';
    },
  };
}

function pictureOf(image: Uint8ClampedArray<ArrayBuffer>, width: number, height: number): string {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d')!.putImageData(new ImageData(image, width, height), 0, 0);
  return canvas.toDataURL();
}
