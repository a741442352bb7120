/** Colours and textures of the timeline, read from the style so that both themes have their own. */

export interface Paint {
  readonly background: string;
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly critical: string;
  readonly chosen: string;
  readonly playhead: string;
  readonly ink: string;
  /** By kind of operation: colours, and textures over them. */
  readonly kinds: readonly string[];
  readonly textures: readonly (CanvasPattern | undefined)[];
  /** The colours of steps, used in turn. */
  readonly steps: readonly string[];
  readonly measured: CanvasPattern | undefined;
}

export function paintFrom(element: HTMLElement, context: CanvasRenderingContext2D): Paint {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const texture = (draw: (brush: CanvasRenderingContext2D) => void) => textureOf(context, colour('texture'), draw);
  return {
    background: colour('panel'),
    text: colour('text'),
    faint: colour('faint'),
    line: colour('line'),
    critical: colour('critical'),
    chosen: colour('chosen'),
    playhead: colour('accent'),
    ink: colour('ink'),
    kinds: ['copy', 'reduce', 'send', 'recv', 'recv-reduce', 'compute'].map((kind) => colour(`kind-${kind}`)),
    textures: [
      texture((brush) => brush.fillRect(1, 1, 2, 2)),
      texture(cross),
      undefined,
      texture(stripe),
      texture((brush) => {
        stripe(brush);
        cross(brush);
      }),
      texture((brush) => brush.fillRect(0, 3, 8, 2)),
    ],
    steps: Array.from({ length: 6 }, (_, index) => colour(`step-${index}`)),
    measured: texture((brush) => brush.fillRect(0, 3, 8, 1)),
  };
}

function cross(brush: CanvasRenderingContext2D): void {
  brush.fillRect(3, 0, 1, 8);
  brush.fillRect(0, 3, 8, 1);
}

function stripe(brush: CanvasRenderingContext2D): void {
  for (let at = 0; at < 8; at++) brush.fillRect(at, 7 - at, 1, 1);
}

function textureOf(
  context: CanvasRenderingContext2D,
  colour: string,
  draw: (brush: CanvasRenderingContext2D) => void,
): CanvasPattern | undefined {
  const tile = document.createElement('canvas');
  tile.width = 8;
  tile.height = 8;
  const brush = tile.getContext('2d');
  if (brush === null) return undefined;
  brush.fillStyle = colour;
  draw(brush);
  return context.createPattern(tile, 'repeat') ?? undefined;
}
