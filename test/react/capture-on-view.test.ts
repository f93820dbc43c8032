import type { FunctionComponent, ReactNode, Ref } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CaptureOnViewProps } from '../../src/entry/react.ts'
import { createTestAgent } from '../../src/entry/testing.ts'
import type { TestAgent } from '../../src/entry/testing.ts'
import { REACT_VERSIONS, setUpReact } from './load-react.ts'
import { expectNoComplaints, mount } from './react-page.ts'

type Entry = Pick<IntersectionObserverEntry, 'isIntersecting' | 'intersectionRatio'>

/** An observer that reports what the test says. */
class ManualObserver {
  static readonly active: Set<ManualObserver> = new Set()
  static created = 0
  element: Element | undefined
  readonly #onChange: (entries: Entry[]) => void
  readonly options: { readonly threshold: number }

  constructor(onChange: (entries: Entry[]) => void, options: { readonly threshold: number }) {
    this.#onChange = onChange
    this.options = options
    ManualObserver.created++
  }
  observe(element: Element): void {
    this.element = element
    ManualObserver.active.add(this)
  }
  disconnect(): void {
    ManualObserver.active.delete(this)
  }
  static show(...ratios: readonly number[]): void {
    for (const observer of ManualObserver.active)
      observer.#onChange(ratios.map((ratio) => ({ isIntersecting: true, intersectionRatio: ratio })))
  }
  static hide(): void {
    for (const observer of ManualObserver.active) observer.#onChange([{ isIntersecting: false, intersectionRatio: 0 }])
  }
}

describe.each(REACT_VERSIONS)('CaptureOnView in React %s', (version) => {
  const react = setUpReact(version)
  expectNoComplaints()

  let client: TestAgent
  beforeEach(() => {
    client = createTestAgent()
    ManualObserver.created = 0
    vi.stubGlobal('IntersectionObserver', ManualObserver)
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    expect(ManualObserver.active.size).toBe(0)
  })

  const appOf = (props: Partial<CaptureOnViewProps>, hasAgent = true): ReactNode => {
    const { createElement, StrictMode } = react.React
    const { CaptureOnView, WaymarkProvider } = react.waymark
    return createElement(
      StrictMode,
      null,
      createElement(
        WaymarkProvider,
        { client: hasAgent ? client : undefined },
        createElement(CaptureOnView, { event: 'seen', ...props }, 'Prices'),
      ),
    )
  }
  const captured = () => client.events.map(({ event, properties }) => [event, properties['page']])

  it('captures when the threshold is reached, once per mount, also in strict mode', async () => {
    const { unmount } = await mount(react, appOf({ properties: { page: 1 }, threshold: 0.5 }))
    expect([...ManualObserver.active].map(({ options }) => options)).toEqual([{ threshold: 0.5 }])
    ManualObserver.hide()
    ManualObserver.show(0.4)
    expect(captured()).toEqual([])
    ManualObserver.show(0.5)
    ManualObserver.show(1)
    expect(captured()).toEqual([['seen', 1]])
    await unmount()
    const second = await mount(react, appOf({ properties: { page: 2 } }))
    ManualObserver.show(1)
    expect(captured()).toEqual([
      ['seen', 1],
      ['seen', 2],
    ])
    await second.unmount()
  })

  it('does not capture an element that only touches the edge of the page', async () => {
    const { unmount } = await mount(react, appOf({}))
    ManualObserver.show(0)
    expect(captured()).toEqual([])
    await unmount()
  })

  it('captures an element that comes and goes between two reports', async () => {
    const { unmount } = await mount(react, appOf({}))
    ManualObserver.show(0.5, 0)
    expect(captured()).toHaveLength(1)
    await unmount()
  })

  it('captures each view when once is false', async () => {
    const { unmount } = await mount(react, appOf({ once: false }))
    ManualObserver.show(1)
    ManualObserver.hide()
    ManualObserver.show(1)
    expect(captured()).toHaveLength(2)
    await unmount()
  })

  it('captures the properties of the last render, and observes only once for them', async () => {
    const { render, unmount } = await mount(react, appOf({ properties: { page: 1 } }))
    const createdAtMount = ManualObserver.created
    await render(appOf({ properties: { page: 2 } }))
    expect(ManualObserver.created).toBe(createdAtMount)
    ManualObserver.show(1)
    expect(captured()).toEqual([['seen', 2]])
    await unmount()
  })

  it.each([
    [-1, 0],
    [2, 1],
    [NaN, 0],
  ])('replaces a threshold of %d, which observers refuse, by %d', async (threshold, expected) => {
    const { unmount } = await mount(react, appOf({ threshold }))
    expect([...ManualObserver.active].map(({ options }) => options.threshold)).toEqual([expected])
    await unmount()
  })

  it('observes a div, or the element that the user wants', async () => {
    const Card: FunctionComponent<{ className?: string }> = react.React.forwardRef(
      (props: { className?: string }, ref: Ref<HTMLElement>) =>
        react.React.createElement('section', { ...props, ref, id: 'card' }),
    )
    for (const [props, html] of [
      [{}, '<div>Prices</div>'],
      [{ as: 'li', className: 'row' }, '<li class="row">Prices</li>'],
      [{ as: Card }, '<section id="card">Prices</section>'],
    ] as const) {
      const { container, unmount } = await mount(react, appOf(props))
      expect(container.innerHTML).toBe(html)
      expect([...ManualObserver.active].map(({ element }) => element)).toEqual([container.firstElementChild])
      await unmount()
    }
  })

  it('captures nothing and warns when `as` gives no element, and leaves the page as it is', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const { Component, Fragment } = react.React
    class Card extends Component<{ children?: ReactNode }> {
      override render(): ReactNode {
        return this.props.children
      }
    }
    const Plain: FunctionComponent<{ children?: ReactNode }> = ({ children }) => children
    // React 18 itself complains about the ref of a function.
    for (const as of version === '18' ? [Card, Fragment] : [Card, Fragment, Plain]) {
      const { container, unmount } = await mount(react, appOf({ as }))
      expect(container.innerHTML).toBe('Prices')
      expect(captured()).toEqual([])
      expect(warn.mock.lastCall).toEqual([expect.stringContaining('<CaptureOnView event="seen"> captures nothing')])
      warn.mockClear()
      await unmount()
    }
  })

  it('observes an element of another window', async () => {
    const foreign = { nodeType: 1 } as Element
    const Card = react.React.forwardRef((_props: object, ref: Ref<Element>) => {
      react.React.useImperativeHandle(ref, () => foreign)
      return null
    })
    const { unmount } = await mount(react, appOf({ as: Card }))
    expect([...ManualObserver.active].map(({ element }) => element)).toEqual([foreign])
    await unmount()
  })

  it('captures at the mount in an app, also where it could observe', async () => {
    vi.stubGlobal('navigator', { product: 'ReactNative' })
    const { unmount } = await mount(react, appOf({}))
    expect(captured()).toHaveLength(1)
    await unmount()
  })

  it('waits for the agent', async () => {
    const { render, unmount } = await mount(react, appOf({}, false))
    expect(ManualObserver.active.size).toBe(0)
    await render(appOf({}))
    ManualObserver.show(1)
    expect(captured()).toHaveLength(1)
    await unmount()
  })

  it.each([true, false])('captures once at the mount where nothing can be observed (once: %s)', async (once) => {
    vi.stubGlobal('IntersectionObserver', undefined)
    const { render, unmount } = await mount(react, appOf({ once }))
    await render(appOf({ once, threshold: 1 }))
    expect(captured()).toHaveLength(1)
    await unmount()
  })

  it('has the same element in the HTML of a server', () => {
    expect(react.load('react-dom/server').renderToString(appOf({ className: 'row' }, false))).toBe(
      '<div class="row">Prices</div>',
    )
  })
})
