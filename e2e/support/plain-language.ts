import { expect, type Page } from '@playwright/test'

/** Phrases that a first-time reader has to decode. CONTRIBUTING.md explains how the product words its messages. */
const unclear = [
  /\b(?:nobody|somebody|whoever|whatever|whose)\b/i,
  /\b(?:stands?|standing) (?:here|there|aside)\b/i,
  /\blook(?:s|ed)? at\b(?! the)/i,
  /\b(?:is|are|was) (?:asked|told)\b/i,
  /^(?:asked|told|what|who|whom|of)\b[^?]*$/i,
  /\bat once\b/i,
  /\b(?:what|comes?|became|becomes) of (?:it|them|that|the call)\b/i,
  /\b(?:is|are) up\b/i,
  /\bgoes? on\b/i,
  /\bas it (?:was|is|stands)\b/i,
  /\b(?:has|have) none\b/i,
  /\b(?:leads?|led) (?:calls|them|to it)\b/i,
  /\b(?:yet to come|passed over|being counted|stays? as)\b/i,
  // Words that a standard term of the field replaces. In quotes they are values of the API.
  /\b(?:doors?|crowd\w*|moods?|(?<!")refus(?:e[sd]?|al)(?! the connection)|stands?|went silent|walls?)\b/i,
]

/** Collects the visible texts of a page, except in code, with its accessible names, placeholders, and tooltips. */
const readMessages = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const attributes = ['aria-label', 'placeholder', 'title', 'alt', 'aria-description']
    const elements = [...document.querySelectorAll<HTMLElement | SVGElement>('body *')].filter(
      (element) => element.checkVisibility() && element.closest('pre, code') === null,
    )
    const isText = ({ nodeType, textContent }: Node) => nodeType === Node.TEXT_NODE && textContent?.trim() !== ''
    const visible = elements
      .filter(({ childNodes }) => [...childNodes].some(isText))
      .map((element) => ('innerText' in element ? element.innerText : element.textContent))
    const labels = elements.flatMap((element) => attributes.map((name) => element.getAttribute(name) ?? ''))
    return [...visible, ...labels].map((text) => text.trim()).filter((text) => text !== '')
  })

/** Fails if the page contains a text that uses one of the phrases. */
export const expectPlainLanguage = async (page: Page, what: string): Promise<void> => {
  const messages = await readMessages(page)
  const unclearMessages = messages.filter((text) => unclear.some((phrase) => phrase.test(text)))
  expect(unclearMessages, `messages of ${what}`).toEqual([])
}
