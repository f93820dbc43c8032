import type { Json } from '../../../wire/json.ts'

/** What to draw. Plain data, which can be passed between threads. */
export interface PictureRequest {
  readonly format: 'image/png' | 'image/svg+xml'
  /** CSS pixels; 200 to 4,000. */
  readonly width: number
  /** CSS pixels; 150 to 4,000. A dashboard whose tiles need more is higher. */
  readonly height: number
  /** Pixels of a PNG per CSS pixel, above 0 to 4. A picture that would be larger than the limit has fewer. */
  readonly scale: number
  readonly theme: 'light' | 'dark'
  readonly content: InsightPicture | DashboardPicture
}

export const DEFAULT_PICTURE = { width: 800, height: 400, scale: 2, theme: 'light' } as const

/** The answer to a query as a chart, a table or a number, whichever fits. */
export interface InsightPicture {
  readonly kind: 'insight'
  /** Null for none. */
  readonly title: string | null
  /** The saved query, with or without the node around it that tells how clients show it. */
  readonly query: Json
  /** The answer to it as `POST …/query/` gives it, or its `results` in the field `result`. */
  readonly answer: Json
}

/** Tiles from left to right in rows, in order. */
export interface DashboardPicture {
  readonly kind: 'dashboard'
  readonly title: string | null
  readonly tiles: readonly TilePicture[]
}

export type TilePicture = InsightTile | TextTile

export interface InsightTile extends InsightPicture {
  /** Why there is no answer: shown instead. */
  readonly error?: string | undefined
}

export interface TextTile {
  readonly kind: 'text'
  readonly text: string
}
