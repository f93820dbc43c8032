import type { JsonObject } from '../../../../wire/json.ts'
import type { Chart, FlowItem } from '../chart.ts'
import { NO_DATA } from '../chart.ts'
import { toNumber, toText } from './read-json.ts'

/** Paths as ways between items, from left to right. */
export const choosePaths = (results: readonly JsonObject[]): Chart => {
  const edges = results.map((result) => ({
    source: toItem(toText(result['source'])),
    target: toItem(toText(result['target'])),
    value: toNumber(result['value']) ?? 0,
  }))
  // A way back to the same step would be a cycle.
  const shown = edges.filter(({ source, target, value }) => value > 0 && source.step < target.step)
  return shown.length === 0 ? NO_DATA : { kind: 'flow', edges: shown }
}

/** `1_/home` is the item `/home` at the first step. */
const toItem = (text: string): FlowItem => {
  const [, step = '0', name = text] = /^(\d+)_([^]*)$/.exec(text) ?? []
  return { step: Number(step), name }
}
