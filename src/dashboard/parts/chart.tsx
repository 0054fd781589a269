import { useEffect, useRef } from "preact/hooks";

export interface Series {
  readonly label: string;
  /** A colour of the stylesheet, e.g. `--accent`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
}

const colourOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(); // prettier-ignore

/**
 * Lines over time. The library is loaded when the first chart is shown. A table has the same data
 * for screen readers.
 */
export function Chart({ label, times, series, height = 160 }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = element.current!;
    let plot:
      | { destroy(): void; setSize(size: { width: number; height: number }): void }
      | undefined;
    let isGone = false;
    const draw = async () => {
      const { default: Plot } = await import("uplot");
      // Two short tasks instead of a long one: keys and clicks are handled between them.
      await new Promise((resolve) => setTimeout(resolve));
      if (isGone) return;
      plot?.destroy();
      const axis = {
        stroke: resolved("--dim"),
        grid: { stroke: resolved("--line"), width: 1 },
        ticks: { show: false },
        font: "11px system-ui",
      };
      plot = new Plot(
        {
          width: box.clientWidth,
          height,
          legend: { show: false },
          cursor: { y: false, points: { size: 6 } },
          scales: {
            y: { range: (_: unknown, __: number, max: number) => [0, Math.max(1, max * 1.1)] },
          },
          axes: [axis, { ...axis, size: 44 }],
          series: [
            {},
            ...series.map(({ label: name, colour }) => ({
              label: name,
              stroke: resolved(colour),
              width: 1.8,
              fill: `color-mix(in srgb, ${resolved(colour)} 14%, transparent)`,
              points: { show: false },
            })),
          ],
        },
        [times as number[], ...series.map(({ values }) => values as number[])],
        box,
      );
    };
    /** A canvas cannot use custom properties. */
    const probe = document.createElement("i");
    box.append(probe);
    const resolved = (name: string) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color || colourOf(name);
    };
    void draw();
    const sizes = new ResizeObserver(() => plot?.setSize({ width: box.clientWidth, height }));
    sizes.observe(box);
    const schemes = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => void draw();
    schemes.addEventListener("change", redraw);
    return () => {
      isGone = true;
      sizes.disconnect();
      schemes.removeEventListener("change", redraw);
      plot?.destroy();
      probe.remove();
    };
  }, [times, series]);
  return <div class="chart" ref={element} role="img" aria-label={label} style={{ minHeight: `${height}px` }} />; // prettier-ignore
}
