/** A place as a source tells it. Only `id` and `name` are certain. */
export interface Place {
  /** Names it in its source for good. */
  readonly id: string;
  readonly name: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly address?: string;
  readonly street?: string;
  readonly city?: string;
  readonly zip?: string;
  readonly state?: string;
  readonly country?: string;
  readonly timezone?: string;
  readonly website?: string;
  readonly phones?: string[];
  readonly emails?: string[];
  readonly categories?: string[];
  /** As the source keeps them, `craft=plumber`. */
  readonly tags?: string[];
  readonly description?: string;
  readonly rating?: number;
  readonly reviews?: number;
  readonly hours?: string;
}

/** In degrees. The southern and western edge belong to it, and so does the pole. */
export interface Box {
  readonly south: number;
  readonly west: number;
  readonly north: number;
  readonly east: number;
}

export interface PlaceQuery {
  readonly box: Box;
  /** In lower case. */
  readonly phrase: string;
  readonly signal?: AbortSignal;
}

/**
 * Where places come from. A source that cannot be read to its end throws AppError; what it has
 * answered until then is of no use. Several may ask at once.
 */
export interface PlaceSource {
  /** `file:places.jsonl`. The same for all who use it. */
  readonly name: string;
  /** In no order; a place may come twice. */
  find(query: PlaceQuery): AsyncIterable<Place>;
  /** Undefined: there is none of that id. */
  look(id: string, signal?: AbortSignal): Promise<Place | undefined>;
}
