import { agent, call, onCall } from './calls.js'
import { byId, setText } from './element.js'

/** Sign-in calls `identify`, sign-out calls `reset`. The agent's distinct id says who is signed in. */
export const startAccount = () => {
  const dialog = byId('sign-in-dialog')
  const show = () => {
    const id = agent().getDistinctId()
    const isSignedIn = id !== agent().getAnonymousId()
    byId('sign-in').hidden = isSignedIn
    byId('sign-out').hidden = !isSignedIn
    setText(byId('greeting'), isSignedIn ? `Welcome back, ${id}` : 'Paper maps, drawn by walkers')
  }

  byId('sign-in').addEventListener('click', () => dialog.showModal())
  byId('sign-in-form').addEventListener('submit', (event) => {
    event.preventDefault()
    const { name, email } = Object.fromEntries(new FormData(event.target))
    dialog.close()
    call('identify', email, { name, email }, { first_seen: new Date().toISOString().slice(0, 10) })
    byId('sign-out').focus()
  })
  byId('sign-out').addEventListener('click', () => {
    call('reset')
    byId('sign-in').focus()
  })
  onCall(show)
  show()
}
