import { findMissingBlanks } from './support/missing-blanks.ts'
import { expect, test } from './support/test.ts'

/** The check of all screens for missing blanks, with the markup of pages that lacked one. */

test('finds words that run together between elements', async ({ page }) => {
  await page.setContent(`
    <ul>
      <li><a href="#">Choose a SIP realm</a>that your devices register with.</li>
      <li><a href="#">Add a carrier</a>to receive and make calls.</li>
      <li>Read it first.<strong>Then sign.</strong></li>
    </ul>`)
  expect(await findMissingBlanks(page)).toEqual([
    'Choose a SIP realm|that your devices register wit',
    'Add a carrier|to receive and make calls.',
    'Read it first.|Then sign.',
  ])
})

test('accepts blanks, gaps, new lines, marked parts of words, and code', async ({ page }) => {
  await page.setContent(`
    <p><a href="#">Add a carrier</a> to receive calls.</p>
    <p><b>Carrier</b><span> to receive</span></p>
    <p style="display: flex; gap: 4px"><span>Carrier</span><span>Active</span></p>
    <div>First</div><div>Second</div>
    <p>micro<mark>phone</mark>s</p>
    <pre><span>const</span><span>x</span></pre>
    <p><span>Shown</span><span hidden>not</span></p>`)
  expect(await findMissingBlanks(page)).toEqual([])
})
