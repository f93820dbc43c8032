import { tryOr } from '../../lib/try-or.ts'
import { AppEventName } from '../../wire/event.ts'

/** The part of a touch event of React Native that is declared. */
export interface AppTouchEvent {
  readonly nativeEvent?: { readonly pageX?: number | undefined; readonly pageY?: number | undefined } | undefined
}

/** Props for the `View` at the root of an app. */
export interface TouchHandlers {
  onTouchStartCapture(event: AppTouchEvent): void
  onTouchEndCapture(event: AppTouchEvent): void
}

/** One component on the way from the touched one to the root. */
interface TouchedElement {
  readonly tag_name: string
  readonly attr__testID?: string
  readonly attr__accessibilityLabel?: string
}

/** React's own record of a component. Not a public interface: anything may be missing. */
interface Fiber {
  readonly elementType?: unknown
  readonly memoizedProps?: Readonly<Record<string, unknown>> | null
  readonly return?: Fiber | null
  /** The other one of the two records, between which React switches with each render. */
  readonly alternate?: Fiber | null
}

/** What `elementType` can be: a component, or an object of `memo` or `forwardRef` around one. */
interface ComponentType {
  readonly displayName?: unknown
  readonly name?: unknown
  readonly type?: unknown
  readonly render?: unknown
}

/** As many as other agents of this protocol send. */
const MAX_ELEMENTS = 20

/** A touch with more ancestors is not captured, because one of those above might forbid it. */
const MAX_ANCESTORS = 1_000

const MAX_ATTRIBUTE_LENGTH = 1_024

/** A finger that moves farther, in points, scrolls or drags. */
const MAX_TAP_DISTANCE = 10

/** Props that forbid captures of a component and all within it. The second one is known from other agents of this protocol. */
const NO_CAPTURE_PROPS = ['wm-no-capture', 'ph-no-capture']

/**
 * Creates props for the `View` at the root of an app: each tap on a component within it captures `$autocapture`, with the names of the
 * component and its ancestors, their `testID` and `accessibilityLabel`, and the position. Texts and values are never captured.
 *
 * Nothing is captured within a component that has the prop `wm-no-capture`. The handlers never throw. Create them once, not in each render:
 * they remember where a touch began.
 *
 * @example
 * const touches = touchHandlers(waymark)
 * const App = () => <View style={{ flex: 1 }} {...touches} />
 */
export const touchHandlers = (agent: { capture(event: '$autocapture', properties: object): void }): TouchHandlers => {
  let start: AppTouchEvent['nativeEvent']
  return {
    onTouchStartCapture(event) {
      start = event.nativeEvent
    },
    onTouchEndCapture(event) {
      tryOr(() => {
        const { pageX = 0, pageY = 0 } = event.nativeEvent ?? {}
        if (Math.hypot(pageX - (start?.pageX ?? pageX), pageY - (start?.pageY ?? pageY)) > MAX_TAP_DISTANCE) return
        const elements = findElements((event as AppTouchEvent & { readonly _targetInst?: Fiber })._targetInst)
        if (elements.length)
          agent.capture(AppEventName.autocapture, {
            $event_type: 'touch',
            $elements: elements,
            $touch_x: Math.round(pageX),
            $touch_y: Math.round(pageY),
          })
      })
    },
  }
}

/** The named components from the touched one upwards; empty when one of its ancestors forbids it, or there are too many. */
const findElements = (touched: Fiber | undefined): TouchedElement[] => {
  const elements: TouchedElement[] = []
  let ancestors = 0
  for (let fiber: Fiber | null | undefined = touched; fiber; fiber = fiber.return) {
    const props = fiber.memoizedProps ?? {}
    if (++ancestors > MAX_ANCESTORS || isForbidden(props) || isForbidden(fiber.alternate?.memoizedProps)) return []
    const name = nameOf(fiber.elementType)
    if (name && elements.length < MAX_ELEMENTS)
      elements.push({
        tag_name: name,
        ...attribute('testID', props),
        ...attribute('accessibilityLabel', props),
      })
  }
  return elements
}

/** A touch comes with the records of the first render, which may be older than those on the screen: either of the two forbids a capture. */
const isForbidden = (props: Fiber['memoizedProps']): boolean => NO_CAPTURE_PROPS.some((name) => isSet(props?.[name]))

/** Also without a value, or with an empty one. */
const isSet = (prop: unknown): boolean => prop !== undefined && prop !== null && prop !== false

const nameOf = (elementType: unknown): string | undefined => {
  const { displayName, name, type, render } = Object(elementType) as ComponentType
  if (typeof displayName === 'string' && displayName) return displayName
  if (typeof name === 'string' && name) return name
  return type || render ? nameOf(type || render) : undefined
}

const attribute = (name: string, props: Readonly<Record<string, unknown>>): object => {
  const value = props[name]
  return typeof value === 'string' && value ? { [`attr__${name}`]: value.slice(0, MAX_ATTRIBUTE_LENGTH) } : {}
}
