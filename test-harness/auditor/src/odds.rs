//! Chi-squared: whether what was drawn may have come of the odds that it should have come of.
//!
//! ```text
//! 100 throws of a coin, 60 heads: chi-squared 4, one degree of freedom, p 0.046
//! ```

/// One kind of draw: how often each outcome came, and how often it should have.
#[derive(Debug, Clone, PartialEq)]
pub struct Odds {
    /// The number of the rule.
    pub rule: &'static str,
    /// What is drawn.
    pub name: String,
    /// Each outcome: its name, how often it came, how often it should have come.
    pub cells: Vec<(String, u64, f64)>,
    /// The sum of the squared differences, each by what was expected.
    pub chi_squared: f64,
    /// The degrees of freedom; 0 where too little was drawn to say anything.
    pub degrees: u32,
    /// How likely it is to be at least as far off by chance, from 0 to 1.
    pub p: f64,
}

/// What is expected less often than this is put together with other outcomes.
const LEAST_EXPECTED: f64 = 5.0;

/// How exact the gamma function is.
const EXACT: f64 = 1e-12;

/// The most steps that it takes.
const MOST_STEPS: u32 = 10_000;

/// Holds what was counted against what was expected.
pub(crate) fn judged(rule: &'static str, name: String, cells: Vec<(String, u64, f64)>) -> Odds {
    let impossible = cells.iter().any(|(_, observed, expected)| *observed > 0 && *expected <= 0.0);
    let mut pooled: Vec<(u64, f64)> = Vec::new();
    let mut small = (0u64, 0.0f64);
    for (_, observed, expected) in &cells {
        if *expected >= LEAST_EXPECTED {
            pooled.push((*observed, *expected));
        } else {
            small = (small.0 + observed, small.1 + expected);
        }
    }
    if small.1 >= LEAST_EXPECTED {
        pooled.push(small);
    } else if small.1 > 0.0
        && let Some(least) = pooled.iter_mut().min_by(|one, other| one.1.total_cmp(&other.1))
    {
        *least = (least.0 + small.0, least.1 + small.1);
    }
    let chi_squared: f64 =
        pooled.iter().map(|(observed, expected)| (*observed as f64 - expected).powi(2) / expected).sum();
    let degrees = u32::try_from(pooled.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let p = match degrees {
        _ if impossible => 0.0,
        0 => 1.0,
        _ => upper_gamma(f64::from(degrees) / 2.0, chi_squared / 2.0),
    };
    Odds { rule, name, cells, chi_squared, degrees, p }
}

/// The upper part of the regularised gamma function, for `shape` > 0 and `x` ≥ 0.
fn upper_gamma(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = (shape * x.ln() - x - ln_gamma(shape)).exp();
    if x < shape + 1.0 {
        let mut term = 1.0 / shape;
        let mut sum = term;
        for step in 1..MOST_STEPS {
            term *= x / (shape + f64::from(step));
            sum += term;
            if term < sum * EXACT {
                break;
            }
        }
        return (1.0 - front * sum).clamp(0.0, 1.0);
    }
    // A continued fraction, from the front, with both of its parts kept from zero.
    let tiny = f64::MIN_POSITIVE / EXACT;
    let mut b = x + 1.0 - shape;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / b;
    let mut value = d;
    for step in 1..MOST_STEPS {
        let step = f64::from(step);
        let a = -step * (step - shape);
        b += 2.0;
        d = a * d + b;
        c = b + a / c;
        d = 1.0 / if d.abs() < tiny { tiny } else { d };
        c = if c.abs() < tiny { tiny } else { c };
        let change = d * c;
        value *= change;
        if (change - 1.0).abs() < EXACT {
            break;
        }
    }
    (front * value).clamp(0.0, 1.0)
}

/// The logarithm of the gamma function of a half or a whole number above 0, by Stirling's series.
fn ln_gamma(x: f64) -> f64 {
    let mut shifted = x;
    let mut product = 0.0;
    while shifted < 10.0 {
        product += shifted.ln();
        shifted += 1.0;
    }
    let inverse = 1.0 / shifted;
    let square = inverse * inverse;
    let series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
    (shifted - 0.5) * shifted.ln() - shifted + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known values of the chi-squared distribution, from tables.
    #[test]
    fn p_values_are_those_of_the_tables() {
        for (degrees, chi_squared, p) in [
            (1, 3.841_458_8, 0.05),
            (1, 6.634_896_6, 0.01),
            (2, 5.991_464_5, 0.05),
            (4, 9.487_729_0, 0.05),
            (4, 18.466_826_9, 0.001),
            (5, 1.145_476_2, 0.95),
            (10, 18.307_038_1, 0.05),
            (24, 36.415_028_5, 0.05),
            (100, 124.342_113_4, 0.05),
            (100, 77.929_465_2, 0.95),
        ] {
            let found = upper_gamma(f64::from(degrees) / 2.0, chi_squared / 2.0);
            assert!((found - p).abs() < 1e-6, "{degrees} degrees, {chi_squared}: {found}, not {p}");
        }
    }

    /// Small cells go together, and what can't come makes it impossible.
    #[test]
    fn small_cells_are_pooled() {
        let cell = |observed, expected| (String::new(), observed, expected);
        for (cells, degrees, certain) in [
            (vec![cell(60, 50.0), cell(40, 50.0)], 1, None),
            (vec![cell(1, 1.0), cell(3, 2.0)], 0, Some(1.0)),
            (vec![cell(10, 10.0), cell(4, 3.0), cell(2, 3.0)], 1, None),
            (vec![cell(10, 10.0), cell(10, 9.0), cell(1, 2.0)], 1, None),
            (vec![cell(10, 11.0), cell(1, 0.0)], 0, Some(0.0)),
        ] {
            let odds = judged("R-1.1", String::new(), cells);
            assert_eq!(odds.degrees, degrees, "{odds:?}");
            if let Some(p) = certain {
                assert!((odds.p - p).abs() < EXACT, "{odds:?}");
            }
        }
    }
}
