import { createElement, Fragment, useEffect, useRef } from 'react'
import type { ElementType, ReactElement, ReactNode } from 'react'
import type { EventKey, IfOptional, PropertiesOf } from '../wire/typed-events.ts'
import { useFlagStore } from './provider.ts'

export type CaptureOnViewProps<Name extends EventKey = EventKey> = ViewProps & {
  /** The event to capture. */
  readonly event: Name
} & IfOptional<
    Name,
    { readonly properties?: PropertiesOf<Name> | undefined },
    { readonly properties: PropertiesOf<Name> }
  >

interface ViewProps {
  /** The part of the element that must be in view, from 0 to 1. Default 0.1. An element that is higher than the page needs a small one. */
  readonly threshold?: number | undefined
  /** False: captured each time that the element comes into view. Default true: once per mount; another `key` is another mount. */
  readonly once?: boolean | undefined
  /**
   * The element around the children: a tag, or a component that passes its `ref` on to an element. Without an element, nothing is captured.
   * Default: `div`; in an app, none.
   */
  readonly as?: ElementType | undefined
  /** Class of that element. Default: none. */
  readonly className?: string | undefined
  readonly children?: ReactNode
}

/**
 * Captures an event when its children come into view. The element around them is observed by an `IntersectionObserver`. Where there is none,
 * as in an app, the event is captured once, when the children are mounted.
 */
export const CaptureOnView = <Name extends EventKey>(props: CaptureOnViewProps<Name>): ReactElement => {
  const { threshold = 0.1, once = true, as = isApp() ? Fragment : 'div', className, children } = props
  const { client } = useFlagStore()
  const element = useRef<HTMLDivElement>(null)
  /** In strict mode React runs effects twice per mount, but keeps the refs. */
  const hasCaptured = useRef(false)
  const latest = useRef<Pick<CaptureOnViewProps, 'event' | 'properties'>>(props)
  // Properties are often an object literal: a new one must not start the observation again.
  useEffect(() => {
    latest.current = props
  })

  useEffect(() => {
    const canObserve = typeof IntersectionObserver !== 'undefined'
    const target = canObserve && isElement(element.current) ? element.current : null
    if (!client || (hasCaptured.current && (once || !target))) return undefined
    const capture = (): void => {
      hasCaptured.current = true
      client.capture(latest.current.event, latest.current.properties)
    }
    if (!target) {
      if (!canObserve || isApp()) capture()
      else warnOfMissingElement(latest.current.event)
      return undefined
    }
    const minRatio = toRatio(threshold)
    const observer = new IntersectionObserver(
      (entries) => {
        // An element that only touches the edge of the page is intersecting too, with a ratio of 0.
        if (!entries.some(({ isIntersecting, intersectionRatio }) => isIntersecting && intersectionRatio >= minRatio))
          return
        if (once) observer.disconnect()
        capture()
      },
      { threshold: minRatio },
    )
    observer.observe(target)
    return () => observer.disconnect()
  }, [client, once, threshold])

  // A fragment takes no `ref`.
  return as === Fragment
    ? createElement(Fragment, null, children)
    : createElement(as as 'div', { ref: element, className }, children)
}

/** A component may give any object to its `ref`. Also true for an element of another window, which is no `instanceof Element` of this one. */
const isElement = (target: Partial<Element> | null): boolean => target?.nodeType === 1

const warnOfMissingElement = (event: string): void =>
  // oxlint-disable-next-line no-console -- the logger belongs to the agent, which React only borrows
  console.warn(`[waymark] <CaptureOnView event="${event}"> captures nothing: "as" has no ref to an element`)

/** `IntersectionObserver` throws for other numbers. */
const toRatio = (threshold: number): number => Math.min(Math.max(threshold, 0), 1) || 0

/** Whether this is React Native, which has no tags. */
const isApp = (): boolean => globalThis.navigator?.product === 'ReactNative'
