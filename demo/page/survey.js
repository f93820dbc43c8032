import { call } from './calls.js'
import { byId, element } from './element.js'

const SURVEY = 'folding-2026'
const QUESTIONS = { rating: 'How easily do our maps fold back?', text: 'What should we draw next?' }
const ANSWERS = ['Not at all', 'Hardly', 'So-so', 'Easily', 'By themselves']

/**
 * The survey as a dialog. Opening it reports the survey as shown, sending it as sent, and any other way of closing it as dismissed.
 *
 * @returns A function that opens the dialog, and returns the answer of `surveyShown`.
 */
export const startSurvey = () => {
  const dialog = byId('survey-dialog')
  const form = byId('survey-form')
  byId('survey-rating').textContent = QUESTIONS.rating
  byId('survey-text').textContent = QUESTIONS.text
  byId('rating').append(
    ...ANSWERS.map((answer, index) =>
      element(
        'label',
        {},
        element('input', {
          type: 'radio',
          name: 'rating',
          value: index + 1,
          required: true,
          'aria-label': `${index + 1}: ${answer}`,
        }),
        String(index + 1),
      ),
    ),
  )

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const { rating, text } = Object.fromEntries(new FormData(form))
    dialog.close('sent')
    call('surveySent', SURVEY, { rating: Number(rating), text: text || null }, { questions: QUESTIONS })
  })
  dialog.addEventListener('close', () => {
    if (dialog.returnValue !== 'sent') call('surveyDismissed', SURVEY)
  })
  return function show() {
    form.reset()
    dialog.returnValue = ''
    dialog.showModal()
    return call('surveyShown', SURVEY, { name: 'Folding' })
  }
}
