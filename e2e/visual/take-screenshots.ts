import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { capture, openPage, withBrowser } from './browser.ts'
import { withDemo } from './demo-server.ts'
import { getPictures, type Picture, showPicture } from './pictures.ts'
import { signIn } from './records.ts'

/**
 * `npm run screenshots [-- NAME …]`: takes the pictures of the documentation from demo data, all of them or only those
 * with these names.
 */

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url))

const names = process.argv.slice(2)
const isSelected = ({ name }: Picture) => names.length === 0 || names.includes(name)

await withDemo((url, records) =>
  withBrowser(async (browser) => {
    const token = await signIn(url, 'provider-user')
    const pages = {
      visitor: await openPage(browser, url, {}),
      light: await openPage(browser, url, { token }),
      dark: await openPage(browser, url, { theme: 'dark', token }),
    }
    for (const picture of getPictures(records).filter(isSelected)) {
      const { name, as = 'light' } = picture
      await showPicture(pages[as], picture)
      const screenshot = await capture(pages[as])
      // 256 colors take a third of the space and show no difference in a user interface.
      const image = await sharp(screenshot).png({ palette: true, effort: 10, dither: 0 }).toBuffer()
      writeFileSync(join(images, `${name}.png`), image)
      process.stdout.write(`  docs/images/${name}.png  ${Math.round(image.length / 1000)} kB\n`)
    }
  }),
)
