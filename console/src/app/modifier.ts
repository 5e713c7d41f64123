const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** The modifier key of shortcuts: its name in `aria-keyshortcuts`, and its label on keyboards. */
export const modifier = isApple ? { name: 'Meta', shown: '⌘' } : { name: 'Control', shown: 'Ctrl' }
