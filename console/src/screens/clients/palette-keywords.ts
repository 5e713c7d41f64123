export const paletteKeywords = {
  '/internal/clients': 'devices phones softphones extensions endpoints registrations subscribers webrtc',
  '/internal/clients/add': 'new device phone extension',
}
