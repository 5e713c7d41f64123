import '@fontsource-variable/inter/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import { createRoot } from 'react-dom/client'
import { Gallery } from './ui/gallery.tsx'
import { startPreferences } from './ui/preferences.ts'

/** All pieces on one page, at /gallery.html of the development server; no build holds it. */
startPreferences(document.documentElement, null, () => {})
const place = document.getElementById('root')
if (place) createRoot(place).render(<Gallery />)
