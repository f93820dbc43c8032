import type { TimeRange } from '../time/periods.ts'
import type { FunnelPoint } from './funnel.ts'
import type { Actor, EventSelection } from './subject.ts'

/** The ways that actors take from item to item: pages, screens and events. */
export interface PathsQuestion {
  readonly events: EventSelection
  readonly range: TimeRange
  readonly actor: Actor
  readonly items: ItemRules
  /** A path begins at the first occurrence of this item; null for any first item. */
  readonly start: string | null
  /** A path ends at the first occurrence of this item; null for any last item. */
  readonly end: string | null
  /**
   * Number of items of a path that count: the last ones where only the end is chosen, or where paths lead to a step of a funnel and no start
   * is chosen; else the first ones. At least 2.
   */
  readonly stepLimit: number
  /** Null for all paths. */
  readonly around: FunnelPaths | null
  readonly edges: EdgeLimits
}

/** Paths are those of the actors of a point of a funnel, who are the actors of the paths, too, in one part of their time. */
export interface FunnelPaths extends Omit<FunnelPoint, 'kind' | 'group'> {
  readonly part: FunnelPathsPart
}

/** Parts of the time of an actor who did a step; of one who missed it, the step is the last one done before it. */
export const FUNNEL_PATHS_PARTS = [
  /** Up to the step; of one who missed it, up to the end of the window of the conversion. */
  'before',
  /** From the step that was done before, up to the step. */
  'between',
  /** From the step on. */
  'after',
] as const

export type FunnelPathsPart = (typeof FUNNEL_PATHS_PARTS)[number]

/** Events that are items. */
export const ITEM_TYPES = ['page', 'screen', 'custom'] as const

/** `page`: the URL of a `$pageview`. `screen`: the name of a `$screen`. `custom`: an event whose name does not begin with `$`. */
export type ItemType = (typeof ITEM_TYPES)[number]

/** How events become items. */
export interface ItemRules {
  readonly types: readonly ItemType[]
  /** Whether `/12` and `/` with a UUID become `/:id`. */
  readonly replacesIds: boolean
  /** Globs, in which `*` is any text: items that match the first of them become this glob. */
  readonly groupings: readonly string[]
  /** Items that do not count. */
  readonly excluded: readonly string[]
}

/** Which edges are answered. */
export interface EdgeLimits {
  readonly limit: number
  readonly minCount: number
  readonly maxCount: number
}

export interface PathsAnswer {
  /** The most frequent ones first, then by the bytes of their names in the protocol. */
  readonly edges: readonly PathEdge[]
}

/** An item at a place in a path. */
export interface PathNode {
  /** The place, from 1. */
  readonly step: number
  readonly item: string
}

/** A step from an item to the next one. */
export interface PathEdge {
  /** The place of the source in its path, from 1. */
  readonly step: number
  readonly source: string
  readonly target: string
  /** Paths that take it. */
  readonly count: number
  /** Average time between the first events of the two items, in milliseconds. */
  readonly averageMs: number
}
