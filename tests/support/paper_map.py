"""Which tests exercise each row of docs/paper-map.md: the file below tests/, and the names of functions in it."""

RATIO, DERIVED = "test_density_ratio.py", "test_derivations.py"
LABELS, SUGGEST = "test_labels.py", "test_suggest.py"
MLP, FOREST, BOOSTING = (f"classifiers/test_{name}.py" for name in ("mlp", "forest", "boosting"))
CONCEPTS, CURVES = (f"auger_bench/paper/test_{name}.py" for name in ("concepts", "recorded_curves"))
METHODS, EVOLUTION = (f"auger_bench/methods/test_{name}.py" for name in ("methods", "evolution"))
TABLES, ROBOT, RACING = (f"auger_bench/problems/test_{name}.py" for name in ("tabular", "robot_pushing", "racing"))
MAXIMIZERS, RECIPES = "maximizers/test_maximizers.py", "recipes/test_recipes.py"
POSTERIOR, IMPROVEMENT = (f"gaussian_process/test_{name}.py" for name in ("posterior", "improvement"))
MIXTURES, LOSSES, MEMBERS = (f"classifiers/test_{name}.py" for name in ("kernel_mixtures", "losses", "members"))

_PROPORTIONAL = "test_expected_improvement_is_proportional_to_the_relative_ratio_where_only_the_side_of_tau_matters"
_OF_PAPER = "test_the_recipes_of_the_paper_have_its_settings"
_MEMBERS = "test_proposals_are_members_of_a_space_with_everything_and_repeat_with_the_seed"
_METHODS_ALONE = "test_the_figure_of_the_paper_has_its_methods_alone"
_PANELS = "test_the_figures_of_the_paper_have_its_panels_in_its_order_with_its_values"
_VARIANTS = "test_the_ablations_of_the_paper_have_its_variants_alone"
_MEAN = "test_the_mean_over_folds_is_that_of_scikit_learn"
_EPOCHS = "test_the_number_of_epochs_is_that_of_the_paper"
_FLIPS = "test_a_new_observation_flips_at_most_one_old_label"
_TOY = "test_a_classifier_recovers_the_toy_ratio_and_its_mode_better_than_two_kdes"

#: Heading -> first word of the row -> file -> tests.
TESTS = {
    "Sections": {
        "2.1": {
            IMPROVEMENT: ["test_it_is_the_textbook_formula_where_that_works"],
            LABELS: ["test_improvement_weights_are_proportional_to_the_improvement"],
        },
        "2.2": {
            RATIO: [
                "test_the_relative_ratio_of_known_densities_is_h_of_their_ordinary_ratio",
                "test_estimates_of_both_ratios_are_related_as_the_ratios_are",
            ]
        },
        "2.3": {
            "classifiers/test_kde.py": ["test_the_score_agrees_with_the_formula_written_out"],
            METHODS: [_MEMBERS],
        },
        "2.4": {
            "classifiers/test_kde.py": [
                "test_far_from_all_rows_the_score_is_still_a_probability",
                "test_one_column_agrees_with_scipy",
            ],
            "recipes/test_options.py": ["test_every_recipe_takes_every_option_with_few_exceptions"],
        },
        "3": {SUGGEST: ["test_enough_answers_bring_in_the_model_with_its_name_and_score_in_the_reason"]},
        "3.1": {
            LABELS: ["test_gamma_may_be_a_function_of_how_many_answers_there_are", _FLIPS],
            "recipes/test_schedules.py": ["test_the_decay_begins_with_a_half_and_keeps_ever_more_good_ones"],
            RECIPES: [_OF_PAPER],
        },
        "3.2": {
            RECIPES: [_OF_PAPER],
            SUGGEST: ["test_a_warm_classifier_is_fitted_once_an_answer_each_time_from_the_last"],
            "maximizers/test_relaxation.py": ["test_every_choice_is_the_one_whose_column_rises"],
            MAXIMIZERS: [
                "test_evolution_keeps_its_budget_and_scores_a_generation_in_one_call",
                "test_random_search_scores_its_samples_in_one_call",
            ],
            "classifiers/test_calibrated.py": [_MEAN],
            "classifiers/test_online_forest.py": ["test_a_new_row_keeps_the_trees_whose_samples_do_not_hold_it"],
            "classifiers/test_online_boosting.py": ["test_more_trees_on_the_same_rows_are_those_of_a_longer_fit"],
        },
        "4": {
            MIXTURES: [
                "test_the_left_out_error_is_that_of_fits_without_each_example",
                "test_kliep_is_the_likeliest_mixture_whose_mean_over_the_rest_is_1",
                "test_kernel_mean_matching_matches_the_means_better_than_any_change_of_it",
            ],
            RATIO: [_TOY],
        },
        "5": {
            "cli/test_bench.py": ["test_experiments_name_problems_and_methods_that_exist"],
            CURVES: ["test_the_curves_end_where_the_recorded_runs_do"],
        },
        "6": {
            MEMBERS: [
                "test_laplace_samples_have_the_covariance_of_a_logistic_regression_on_the_last_layer",
                "test_varied_networks_have_rates_and_decays_of_their_own_that_cover_the_ranges",
            ],
            "classifiers/test_ensemble.py": ["test_the_score_is_the_mean_of_fits_with_generators_of_their_own"],
            "test_pareto.py": ["test_contributions_are_those_of_the_hypervolume"],
            "curves/test_final_values.py": [
                "test_the_end_after_a_curve_is_what_conditioning_a_normal_distribution_gives"
            ],
            "curves/test_early_stopping.py": ["test_chances_come_true"],
            MIXTURES: [
                "test_mean_shift_never_goes_downhill_and_ends_where_no_column_has_a_slope",
                "test_the_proposal_of_mean_shift_is_as_high_as_that_of_twenty_climbs_along_the_gradient",
            ],
            LOSSES: ["test_the_cost_beyond_the_least_is_a_bregman_divergence_of_the_odds"],
        },
        "A": {
            DERIVED: [
                _PROPORTIONAL,
                "test_improvement_weights_make_the_odds_proportional_to_the_expected_improvement",
            ]
        },
        "B": {LABELS: ["test_gamma_out_of_range_is_refused"]},
        "C": {DERIVED: ["test_bayes_rule_makes_the_class_probability_gamma_times_the_relative_ratio"]},
        "D.1": {
            DERIVED: ["test_the_expected_log_loss_is_least_at_gamma_times_the_relative_ratio"],
            RATIO: [_TOY],
            MLP: ["test_the_score_estimates_the_probability_of_good"],
        },
        "D.2": {
            DERIVED: ["test_the_loss_that_is_minimized_is_that_of_the_expectations_with_the_share_of_good_as_balance"]
        },
        "E": {
            "auger_bench/problems/test_functions.py": ["test_the_literature_agrees"],
            CONCEPTS: ["test_the_observations_are_those_of_forrester_with_the_noise_of_the_paper"],
        },
        "F": {
            LABELS: ["test_exactly_the_best_share_is_good_whatever_came_back", _FLIPS],
            MLP: [
                "test_an_emphasis_counts_new_examples_and_flipped_ones_so_many_times",
                "test_a_plateau_is_reached_when_epochs_in_a_row_are_not_lower",
                _EPOCHS,
            ],
            "classifiers/test_online_forest.py": [
                "test_a_label_that_flips_keeps_the_trees_whose_samples_do_not_hold_it"
            ],
            "classifiers/test_online_boosting.py": [
                "test_what_is_new_is_learned_and_the_previous_score_stays_as_it_was"
            ],
        },
        "G.1": {METHODS: ["test_the_names_of_the_ablations_say_what_is_different"]},
        "G.2": {
            METHODS: ["test_the_names_of_the_ablations_say_what_is_different"],
            "classifiers/test_calibrated.py": [_MEAN],
        },
        "H": {RATIO: [_TOY, "test_the_papers_fully_grown_forest_finds_the_mode_but_not_the_ratio"]},
        "I": {METHODS: [_MEMBERS, "test_every_proposal_is_a_member_of_any_space"]},
        "J": {
            RECIPES: [_OF_PAPER],
            "auger_bench/test_run_files.py": ["test_what_is_appended_is_read_back_to_the_bit"],
        },
        "J.1": {FOREST: ["test_the_defaults_are_the_papers_which_are_scikit_learns"], RECIPES: [_OF_PAPER]},
        "J.2": {BOOSTING: ["test_the_defaults_are_the_papers"], RECIPES: [_OF_PAPER]},
        "J.3": {
            RECIPES: [_OF_PAPER],
            MLP: ["test_the_activation_is_elu_up_to_ten_parameters_and_relu_above", _EPOCHS],
        },
        "K": {"auger_bench/problems/test_names.py": ["test_the_problems_of_the_paper_are_there"]},
        "K.1": {TABLES: ["test_an_fcnet_table_has_all_configurations_and_the_documented_distribution"]},
        "K.2": {TABLES: ["test_a_nas_bench_table_has_all_cells_and_the_documented_distribution"]},
        "K.3": {ROBOT: ["test_every_check_point_is_reproduced", "test_where_nothing_is_touched_the_value_is_zero"]},
        "K.4": {
            RACING: [
                "test_every_check_point_is_reproduced",
                "test_on_a_straight_line_the_time_is_that_of_constant_acceleration",
            ]
        },
        "L.1": {
            POSTERIOR: ["test_mean_and_deviation_are_scikit_learns"],
            MEMBERS: ["test_laplace_samples_have_the_covariance_of_a_logistic_regression_on_the_last_layer"],
        },
        "L.2": {
            "gaussian_process/test_likelihood.py": ["test_the_prior_is_the_documented_one"],
            MEMBERS: [
                "test_the_logit_is_that_of_the_probability_and_has_its_slopes",
                "test_members_disagree_more_where_there_is_no_data",
            ],
        },
        "L.3": {"recipes/test_options.py": ["test_a_text_means_what_was_worked_out_by_hand"]},
    },
    "Equations": {
        "1": {LABELS: ["test_improvement_weights_are_proportional_to_the_improvement"]},
        "2": {POSTERIOR: ["test_mean_and_deviation_are_scikit_learns"]},
        "3": {IMPROVEMENT: ["test_it_is_the_textbook_formula_where_that_works"]},
        "4": {DERIVED: ["test_bayes_rule_makes_the_class_probability_gamma_times_the_relative_ratio"]},
        "5": {DERIVED: [_PROPORTIONAL]},
        "6": {MAXIMIZERS: ["test_ours_pass_the_kit"]},
        "7": {DERIVED: ["test_bayes_rule_makes_the_class_probability_gamma_times_the_relative_ratio"]},
        "8": {RATIO: ["test_the_kde_classifier_is_the_ratio_of_two_kdes"]},
        "9": {
            MLP: ["test_the_gradient_of_the_loss_agrees_with_finite_differences_of_the_log_loss_of_scikit_learn"],
            LOSSES: ["test_values_are_the_costs"],
        },
        "10": {MLP: ["test_the_score_estimates_the_probability_of_good"]},
        "11": {DERIVED: [_PROPORTIONAL]},
        "12": {
            DERIVED: ["test_the_loss_that_is_minimized_is_that_of_the_expectations_with_the_share_of_good_as_balance"]
        },
        "13": {POSTERIOR: ["test_mean_and_deviation_are_scikit_learns"]},
    },
    "Algorithm": {
        "while": {
            "test_minimize.py": ["test_it_returns_the_best_of_all_it_tried"],
            "studies/test_pool.py": ["test_a_study_is_run_to_its_budget_and_told_about"],
        },
        "the gamma-quantile": {LABELS: ["test_labels_and_threshold_are_those_of_sorting_everything"]},
        "labels": {LABELS: ["test_labels_agree_with_the_table"]},
        "the auxiliary": {LABELS: ["test_without_weights_each_row_is_one_example_of_its_class"]},
        "update the classifier": {SUGGEST: ["test_a_warm_classifier_is_fitted_once_an_answer_each_time_from_the_last"]},
        "suggest": {
            "maximizers/test_relaxation.py": ["test_configurations_repeat_only_where_the_recipe_says_so"],
            SUGGEST: ["test_a_small_space_is_tried_out_once_each_before_anything_repeats"],
        },
        "evaluate": {"studies/test_run.py": ["test_the_value_of_a_program_is_what_it_prints"]},
        "update the data set,": {"test_optimizer.py": ["test_strange_values_do_no_harm"]},
    },
    "Figures": {
        "1": {CONCEPTS: ["test_the_teaser_has_27_observations_of_which_the_best_9_are_good"]},
        "2": {CONCEPTS: ["test_the_plain_ratio_diverges_and_the_relative_one_converges_to_4"]},
        "3": {CURVES: [_METHODS_ALONE, _PANELS]},
        "4": {CURVES: [_METHODS_ALONE]},
        "5": {CURVES: [_METHODS_ALONE, _PANELS]},
        "6": {CURVES: [_METHODS_ALONE, _PANELS]},
        "7": {CURVES: [_VARIANTS]},
        "8": {
            CONCEPTS: [
                "test_there_are_six_iterations_with_one_observation_more_each",
                "test_the_dashed_lines_meet_on_the_distribution",
            ]
        },
        "9": {CONCEPTS: ["test_at_most_one_old_label_flips_in_each_row_and_flips_are_framed"]},
        "10": {CURVES: [_VARIANTS, "test_the_variants_of_the_maximizer_are_told_apart"]},
        "11": {CURVES: [_VARIANTS]},
        "12": {
            CONCEPTS: ["test_classifiers_are_nearer_to_the_exact_ratio_than_density_estimates_and_so_are_their_maxima"]
        },
        "13": {CONCEPTS: ["test_epochs_worked_by_hand"]},
    },
    "Tables": {
        "1": {
            METHODS: [_MEMBERS],
            EVOLUTION: [
                "test_a_child_that_is_not_worse_replaces_its_parent_and_a_worse_one_does_not",
                "test_the_oldest_dies_even_when_it_is_the_best",
            ],
        },
        "2": {
            FOREST: ["test_the_defaults_are_the_papers_which_are_scikit_learns"],
            MLP: ["test_training_takes_the_same_steps_as_scikit_learn"],
        },
        "3": {TABLES: ["test_the_spaces_are_those_of_the_tables_of_the_paper"]},
        "4": {TABLES: ["test_the_spaces_are_those_of_the_tables_of_the_paper"]},
        "5": {ROBOT: ["test_the_space_is_that_of_the_original_in_its_order"]},
    },
}
