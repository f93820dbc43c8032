import { call } from './calls.js'
import { CATEGORIES, MAPS } from './catalogue.js'
import { byId, element, setText } from './element.js'
import { inSlices } from './in-slices.js'
import { drawSheet } from './relief.js'

/** Twice the width of a card, for sharp screens. */
const SHEET = { width: 480, height: 360 }

/** Shows the shelves, and follows links between them without loading the page: the agent sees that by itself. */
export const startShop = () => {
  const cards = new Map(MAPS.map((map) => [map, card(map)]))

  const show = () => {
    const kind = kindOf(location.pathname)
    const shown = MAPS.filter((map) => kind === 'all' || map.kind === kind)
    byId('cards').replaceChildren(...shown.map((map) => cards.get(map)))
    setText(byId('maps-title'), CATEGORIES[kind])
    setText(byId('maps-count'), `${shown.length} sheets`)
    document.title = titleOf(kind)
    for (const link of document.querySelectorAll('#categories a')) {
      if (link.dataset.category === kind) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
  }

  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[data-category]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    // Before the address changes: the agent reads the title of the page it reports at that moment.
    document.title = titleOf(kindOf(link.pathname))
    history.pushState(null, '', link.pathname)
    show()
    byId('maps-title').focus({ preventScroll: true })
  })
  addEventListener('popstate', show)
  show()
}

const card = (map) => {
  const canvas = element('canvas', { ...SHEET, 'aria-hidden': 'true' })
  inSlices(drawSheet(canvas, map.kind, map.seed))
  const buy = element('button', { type: 'button', class: 'button small', 'aria-label': `Buy ${map.name}` }, 'Buy')
  buy.addEventListener('click', () => {
    setText(byId('bag'), String(Number(byId('bag').textContent) + 1))
    call('capture', 'map bought', { map: map.id, price: map.price, currency: 'EUR' })
  })
  return element(
    'li',
    { class: 'card' },
    element('div', { class: 'sheet' }, canvas),
    element(
      'div',
      { class: 'card-text' },
      element('div', {}, element('h3', {}, map.name), element('p', { class: 'about' }, map.about)),
      element('div', { class: 'buy' }, element('span', { class: 'price' }, `€${map.price}`), buy),
    ),
  )
}

const kindOf = (path) => {
  const last = path.split('/').at(-1)
  return Object.hasOwn(CATEGORIES, last) ? last : 'all'
}

const titleOf = (kind) => `${CATEGORIES[kind]} · Tarn & Fell`
