/** Titles of the map categories, by the last segment of their URL. */
export const CATEGORIES = { all: 'All maps', mountains: 'Mountains', coasts: 'Coasts', towns: 'Towns' }

/** The maps of the demo shop. Prices are in euros; `seed` determines the drawing. */
export const MAPS = [
  {
    id: 'kestrel-ridge',
    kind: 'mountains',
    name: 'Kestrel Ridge',
    about: '1:25,000, with winter paths',
    price: 14,
    seed: 7,
  },
  {
    id: 'selkie-coast',
    kind: 'coasts',
    name: 'The Selkie Coast',
    about: '1:50,000, tide tables on the back',
    price: 12,
    seed: 21,
  },
  { id: 'old-harbour', kind: 'towns', name: 'Old Harbour', about: '1:5,000, every stair and alley', price: 9, seed: 4 },
  {
    id: 'three-tarns',
    kind: 'mountains',
    name: 'Three Tarns',
    about: '1:25,000, springs and shelters',
    price: 14,
    seed: 33,
  },
  {
    id: 'salt-and-sound',
    kind: 'coasts',
    name: 'Salt and Sound',
    about: '1:40,000, marshes and ferries',
    price: 12,
    seed: 58,
  },
  { id: 'ring-city', kind: 'towns', name: 'Ring City', about: '1:7,500, bridges by number', price: 9, seed: 12 },
]
