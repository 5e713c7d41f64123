const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** As `aria-keyshortcuts` names it, and as it stands on keys. */
export const modifier = isApple ? { name: 'Meta', shown: '⌘' } : { name: 'Control', shown: 'Ctrl' }
