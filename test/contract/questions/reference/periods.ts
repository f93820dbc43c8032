import type { Periods, TimeRange } from '../../../../src/service/insight/time/periods.ts'

export const isIn = ({ from, before }: TimeRange, time: number): boolean => time >= from && time < before

/** The index of the period that a time is in. */
export const periodOf = ({ starts }: Periods, time: number): number => starts.findLastIndex((start) => start <= time)
