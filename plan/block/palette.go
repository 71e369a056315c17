package block

import (
	"math"
	"strings"
)

// Name returns what people call the colour: one hue word, with dark or light
// where it is.
func (c Colour) Name() string { return strings.Join(c.words(), " ") }

// words returns the colour's name as words.
func (c Colour) words() []string {
	hue, saturation, lightness := c.hsl()
	var out []string
	switch {
	case lightness < 0.12:
		return []string{"black"}
	case lightness > 0.93:
		return []string{"white"}
	case lightness < 0.36:
		out = append(out, "dark")
	case lightness > 0.70:
		out = append(out, "light")
	}
	if c.gray() {
		if lightness > 0.8 {
			return []string{"white"}
		}
		return append(out, "gray")
	}
	return append(out, hueName(hue, saturation, lightness))
}

func hueName(hue, saturation, lightness float64) string {
	switch {
	case hue < 12 || hue >= 345:
		if lightness > 0.65 {
			return "pink"
		}
		return "red"
	case hue < 48:
		if saturation < 0.62 && lightness < 0.6 || lightness < 0.35 {
			return "brown"
		}
		if saturation < 0.75 && lightness >= 0.6 {
			return "beige"
		}
		return "orange"
	case hue < 68:
		if saturation < 0.45 && lightness > 0.55 {
			return "beige"
		}
		return "yellow"
	case hue < 95:
		return "lime"
	case hue < 160:
		return "green"
	case hue < 200:
		return "cyan"
	case hue < 255:
		return "blue"
	case hue < 290:
		return "purple"
	default:
		return "magenta"
	}
}

// warm and cool say on which side of the circle a colour is; greys on neither.
func (c Colour) warm() bool {
	hue, _, _ := c.hsl()
	return !c.gray() && (hue < 70 || hue >= 330)
}

func (c Colour) cool() bool {
	hue, _, _ := c.hsl()
	return !c.gray() && hue >= 160 && hue < 290
}

// gray reports whether no hue is seen.
func (c Colour) gray() bool { return max(c[0], c[1], c[2])-min(c[0], c[1], c[2]) < 20 }

// hsl returns hue in degrees, saturation and lightness in 0 … 1.
func (c Colour) hsl() (hue, saturation, lightness float64) {
	r, g, b := float64(c[0])/255, float64(c[1])/255, float64(c[2])/255
	high, low := max(r, g, b), min(r, g, b)
	lightness = (high + low) / 2
	if high == low {
		return 0, 0, lightness
	}
	d := high - low
	saturation = d / (1 - math.Abs(2*lightness-1))
	switch high {
	case r:
		hue = math.Mod((g-b)/d+6, 6)
	case g:
		hue = (b-r)/d + 2
	default:
		hue = (r-g)/d + 4
	}
	return hue * 60, saturation, lightness
}
