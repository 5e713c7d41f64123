// The theme and the look of the menu that were chosen, before anything is drawn (src/app/theme.ts, src/app/menu-look.ts).
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  if (localStorage.getItem('menuLook') === 'icons') document.documentElement.dataset.menu = 'icons'
} catch {}
