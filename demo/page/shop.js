import { call } from './calls.js'
import { CATEGORIES, MAPS } from './catalogue.js'
import { byId, element, setText } from './element.js'
import { drawMap } from './draw-map.js'
import { runWhenIdle } from './run-when-idle.js'

/** Twice the width of a card, for screens with a high resolution. */
const SHEET_SIZE = { width: 480, height: 360 }

/** Shows the maps of a category. Links between categories load no page; the agent captures these page views by itself. */
export const startShop = () => {
  const cards = new Map(MAPS.map((map) => [map, createCard(map)]))

  const show = () => {
    const kind = kindOf(location.pathname)
    const maps = MAPS.filter((map) => kind === 'all' || map.kind === kind)
    byId('cards').replaceChildren(...maps.map((map) => cards.get(map)))
    setText(byId('maps-title'), CATEGORIES[kind])
    setText(byId('maps-count'), `${maps.length} sheets`)
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
    // Before the URL changes, because the agent then reads the title of the new page.
    document.title = titleOf(kindOf(link.pathname))
    history.pushState(null, '', link.pathname)
    show()
    byId('maps-title').focus({ preventScroll: true })
  })
  addEventListener('popstate', show)
  show()
}

const createCard = (map) => {
  const canvas = element('canvas', { ...SHEET_SIZE, 'aria-hidden': 'true' })
  runWhenIdle(drawMap(canvas, map.kind, map.seed))
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
  const segment = path.split('/').at(-1)
  return Object.hasOwn(CATEGORIES, segment) ? segment : 'all'
}

const titleOf = (kind) => `${CATEGORIES[kind]} · Tarn & Fell`
