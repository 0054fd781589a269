/**
 * A Leaflet layer with one canvas that is a little larger than the map. While the map is dragged,
 * Leaflet moves the canvas; it is painted again when the movement ends, so a frame of a drag costs
 * nothing.
 */
import { DomUtil, Layer, type Map as LeafletMap } from "leaflet";

export interface Painter {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly zoom: number;
  /** In pixels of the canvas. */
  readonly x: (longitude: number) => number;
  readonly y: (latitude: number) => number;
}

/** How much larger than the map, on each side. */
const margin = 0.35;

export class CanvasLayer extends Layer {
  readonly paint: (painter: Painter) => void;
  private canvas: HTMLCanvasElement | undefined;

  constructor(paint: (painter: Painter) => void) {
    super();
    this.paint = paint;
  }

  override onAdd(map: LeafletMap): this {
    this.canvas = DomUtil.create("canvas", "leaflet-zoom-hide", map.getPanes().overlayPane);
    this.canvas.setAttribute("aria-hidden", "true");
    map.on("moveend zoomend viewreset resize", this.redraw);
    this.redraw();
    return this;
  }

  override onRemove(map: LeafletMap): this {
    map.off("moveend zoomend viewreset resize", this.redraw);
    this.canvas?.remove();
    return this;
  }

  readonly redraw = (): void => {
    const map = this._map;
    if (!map || !this.canvas) return;
    const size = map.getSize();
    const [padX, padY] = [Math.round(size.x * margin), Math.round(size.y * margin)];
    const corner = map.containerPointToLayerPoint([-padX, -padY]).round();
    DomUtil.setPosition(this.canvas, corner);
    const [width, height] = [size.x + 2 * padX, size.y + 2 * padY];
    const density = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = width * density;
    this.canvas.height = height * density;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d")!;
    context.scale(density, density);
    const zoom = map.getZoom();
    const scale = 256 * 2 ** zoom;
    const origin = map.getPixelOrigin().add(corner);
    this.paint({
      context,
      width,
      height,
      zoom,
      x: (longitude) => worldX(longitude) * scale - origin.x,
      y: (latitude) => worldY(latitude) * scale - origin.y,
    });
  };
}

/** Web Mercator in units of the whole world: 0 to 1 from west to east and from north to south. */
const worldX = (longitude: number): number => longitude / 360 + 0.5;

function worldY(latitude: number): number {
  const sine = Math.sin((Math.max(-85, Math.min(85, latitude)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}
