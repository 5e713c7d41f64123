export const paletteKeywords = {
  '/internal/settings/masking':
    'pci dss credit card numbers redaction redact privacy gdpr patterns regular expressions',
}
