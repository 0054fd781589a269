/** Web Mercator in units of the whole world: 0 to 1 from west to east and from north to south. */
export const worldX = (longitude: number): number => longitude / 360 + 0.5;

export function worldY(latitude: number): number {
  const sine = Math.sin((Math.max(-85, Math.min(85, latitude)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}
