import { expect, it } from 'vitest'
import { touchHandlers } from '../../../src/autocapture/react-native/touch-handlers.ts'

interface TestFiber {
  readonly elementType?: unknown
  readonly memoizedProps?: Record<string, unknown> | null
  return?: TestFiber | null
  readonly alternate?: TestFiber | null
}

/** Links fibers from the touched one to the root. */
const chain = (...fibers: TestFiber[]): TestFiber => {
  for (const [index, fiber] of fibers.entries()) fiber.return = fibers[index + 1] ?? null
  return fibers[0]!
}

const component = (displayName: string, props?: Record<string, unknown>): TestFiber => ({
  elementType: { displayName },
  memoizedProps: props ?? {},
})

/** Touches the component, and returns what was captured. */
const touch = (target: unknown, from = { pageX: 10, pageY: 20 }, to = { pageX: 10.4, pageY: 20 }) => {
  const events: [event: string, properties: object][] = []
  const { onTouchStartCapture, onTouchEndCapture } = touchHandlers({
    capture: (event, properties) => void events.push([event, properties]),
  })
  onTouchStartCapture({ nativeEvent: from })
  onTouchEndCapture({ nativeEvent: to, _targetInst: target } as Parameters<typeof onTouchEndCapture>[0])
  return events
}

const namesOf = (target: unknown): unknown[] =>
  touch(target).flatMap(([, properties]) =>
    (properties as { $elements: { tag_name: string }[] }).$elements.map(({ tag_name }) => tag_name),
  )

it('captures the names, test ids and labels from the touched component upwards', () => {
  const target = chain(
    { elementType: 'RCTText', memoizedProps: { children: 'Buy for 9 €' } },
    component('Text', { children: 'Buy for 9 €' }),
    component('Button', { testID: 'buy', accessibilityLabel: 'Buy', title: 'Buy for 9 €', value: 'secret' }),
    component('Cart', { items: ['secret'], accessibilityLabel: 7, testID: '' }),
  )
  expect(touch(target)).toEqual([
    [
      '$autocapture',
      {
        $event_type: 'touch',
        $elements: [
          { tag_name: 'Text' },
          { tag_name: 'Button', attr__testID: 'buy', attr__accessibilityLabel: 'Buy' },
          { tag_name: 'Cart' },
        ],
        $touch_x: 10,
        $touch_y: 20,
      },
    ],
  ])
})

it('names functions, classes, and components within memo and forwardRef', () => {
  const Row = (): null => null
  class List {
    render = Row
  }
  const types = [
    Row,
    List,
    { type: Row },
    { render: Row },
    { type: { render: Row } },
    { displayName: 'Named', type: Row },
  ]
  const others = [null, 'RCTView', Symbol('fragment'), { type: null }, {}]
  expect(namesOf(chain(...[...types, ...others].map((elementType) => ({ elementType }))))).toEqual([
    'Row',
    'List',
    'Row',
    'Row',
    'Row',
    'Named',
  ])
})

it.each(['wm-no-capture', 'ph-no-capture'])('captures nothing within a component with the prop %s', (prop) => {
  for (const value of [true, '', 'true']) {
    expect(touch(chain(component('Button'), component('Card', { [prop]: value }), component('App')))).toEqual([])
    expect(touch(chain(component('Button', { [prop]: value })))).toEqual([])
  }
  expect(namesOf(chain(component('Button', { [prop]: false })))).toEqual(['Button'])
})

it('obeys the prop that a later render has set, whichever record of the component it gets', () => {
  const [open, forbidden] = [component('Card'), component('Card', { 'wm-no-capture': true })]
  expect(touch(chain(component('Button'), { ...open, alternate: forbidden }))).toEqual([])
  expect(touch(chain(component('Button'), { ...forbidden, alternate: open }))).toEqual([])
  expect(namesOf(chain(component('Button'), { ...open, alternate: open }))).toEqual(['Button', 'Card'])
  expect(namesOf(chain(component('Button'), { ...open, alternate: null }))).toEqual(['Button', 'Card'])
})

it('sends at most 20 elements, and obeys the prop of an ancestor above them', () => {
  const buttons = Array.from({ length: 30 }, () => component('View'))
  expect(namesOf(chain(...buttons))).toHaveLength(20)
  expect(touch(chain(...buttons, component('Secret', { 'wm-no-capture': true })))).toEqual([])
})

it('captures nothing when it cannot see all ancestors', () => {
  expect(touch(chain(...Array.from({ length: 1_001 }, () => component('View'))))).toEqual([])
  const own = component('View')
  own.return = own
  expect(touch(own)).toEqual([])
})

it('captures no scroll or drag', () => {
  const target = chain(component('Row'))
  expect(touch(target, { pageX: 10, pageY: 20 }, { pageX: 10, pageY: 31 })).toEqual([])
  expect(touch(target, { pageX: 10, pageY: 20 }, { pageX: 10, pageY: 29 })).toHaveLength(1)
})

it('cuts long labels', () => {
  const [[, properties] = []] = touch(chain(component('Row', { testID: 'x'.repeat(5_000) })))
  expect((properties as { $elements: [{ attr__testID: string }] }).$elements[0].attr__testID).toHaveLength(1_024)
})

it.each([
  ['no target', undefined],
  ['a target without names', {}],
  [
    'a target that cannot be read',
    {
      get memoizedProps() {
        return expect.unreachable('not readable')
      },
    },
  ],
])('never throws, and captures nothing for %s', (_name, target) => {
  expect(touch(target)).toEqual([])
})
